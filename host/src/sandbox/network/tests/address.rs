//! The table of addresses, both ways.

use std::net::IpAddr;

use crate::sandbox::network::{is_global, refusal};

#[test]
fn addresses_of_the_open_internet_are_global() {
    for text in [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.101.0",
        "203.0.114.0",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "2a00:1450:4001::200e",
        "3ffe:ffff::1",
        "3fff:1000::1",
        // Dialled as the IPv4 address that it wraps.
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
    ] {
        let address: IpAddr = text.parse().unwrap();
        assert_eq!(refusal(address), None, "{text}");
        assert!(is_global(address), "{text}");
    }
}

#[test]
fn every_other_address_is_refused_by_its_kind() {
    for (text, kind) in [
        ("0.0.0.0", "this network"),
        ("0.255.255.255", "this network"),
        ("10.0.0.0", "private"),
        ("10.255.255.255", "private"),
        ("100.64.0.0", "carrier-grade NAT"),
        ("100.127.255.255", "carrier-grade NAT"),
        ("100.100.100.200", "cloud metadata"),
        ("127.0.0.0", "loopback"),
        ("127.255.255.255", "loopback"),
        ("168.63.129.16", "cloud metadata"),
        ("169.254.0.0", "link-local"),
        ("169.254.169.254", "cloud metadata"),
        ("169.254.255.255", "link-local"),
        ("172.16.0.0", "private"),
        ("172.31.255.255", "private"),
        ("192.0.0.0", "protocol assignments"),
        ("192.0.0.192", "cloud metadata"),
        ("192.0.0.255", "protocol assignments"),
        ("192.0.2.1", "documentation"),
        ("192.88.99.1", "6to4 relay"),
        ("192.168.0.0", "private"),
        ("192.168.255.255", "private"),
        ("198.18.0.1", "benchmarking"),
        ("198.19.255.255", "benchmarking"),
        ("198.51.100.7", "documentation"),
        ("203.0.113.7", "documentation"),
        ("224.0.0.0", "multicast"),
        ("239.255.255.255", "multicast"),
        ("240.0.0.0", "reserved"),
        ("255.255.255.254", "reserved"),
        ("255.255.255.255", "broadcast"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::2", "IPv4-compatible"),
        ("::8.8.8.8", "IPv4-compatible"),
        ("::127.0.0.1", "IPv4-compatible"),
        ("::ffff:0.0.0.0", "this network"),
        ("::ffff:10.0.0.1", "private"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:169.254.169.254", "cloud metadata"),
        ("::ffff:0:8.8.8.8", "not global unicast"),
        ("64:ff9b::7f00:1", "loopback"),
        ("64:ff9b::a9fe:a9fe", "cloud metadata"),
        ("64:ff9b::1:808:808", "not global unicast"),
        ("64:ff9b:1::808:808", "local NAT64"),
        ("64:ff9b:1:ffff::1", "local NAT64"),
        ("64:ff9b:2::1", "not global unicast"),
        ("100::1", "discard-only"),
        ("100:0:0:1::1", "dummy prefix"),
        ("2001::1", "Teredo"),
        ("2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "Teredo"),
        ("2001:1::1", "protocol assignments"),
        ("2001:2::1", "benchmarking"),
        ("2001:10::1", "ORCHID"),
        ("2001:20::1", "ORCHIDv2"),
        ("2001:30::1", "drone identity tags"),
        ("2001:1ff::1", "protocol assignments"),
        ("2001:db8::1", "documentation"),
        ("2002:7f00:1::", "6to4"),
        ("2002:808:808::1", "6to4"),
        ("3fff::1", "documentation"),
        ("3fff:fff:ffff::1", "documentation"),
        ("4000::1", "not global unicast"),
        ("5f00::1", "segment routing"),
        ("1fff:ffff::1", "not global unicast"),
        ("fc00::1", "unique local"),
        ("fd00:ec2::254", "cloud metadata"),
        ("fdff:ffff::1", "unique local"),
        ("fe80::1", "link-local"),
        ("febf::1", "link-local"),
        ("fec0::1", "site-local"),
        ("feff::1", "site-local"),
        ("ff02::1", "multicast"),
        ("::5efe:7f00:1", "ISATAP"),
        ("::200:5efe:7f00:1", "ISATAP"),
        ("2606:4700::5efe:808:808", "ISATAP"),
        ("2606:4700::200:5efe:a00:1", "ISATAP"),
    ] {
        let address: IpAddr = text.parse().unwrap();
        let found = refusal(address).unwrap_or_else(|| panic!("{text} passed as global"));
        assert!(found.starts_with(kind), "{text} is `{found}`, not `{kind}`");
        assert!(!is_global(address), "{text}");
    }
}

#[test]
fn special_ipv4_address_is_refused_in_every_ipv6_form_of_it() {
    for text in ["10.0.0.1", "127.0.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "0.0.0.0"] {
        let [a, b, c, d] = text.parse::<std::net::Ipv4Addr>().unwrap().octets();
        let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        for form in [
            format!("::ffff:{high:x}:{low:x}"),
            format!("::{high:x}:{low:x}"),
            format!("::ffff:0:{high:x}:{low:x}"),
            format!("64:ff9b::{high:x}:{low:x}"),
            format!("64:ff9b:1::{high:x}:{low:x}"),
            format!("2002:{high:x}:{low:x}::1"),
            format!("2606:4700::5efe:{high:x}:{low:x}"),
            format!("2606:4700::200:5efe:{high:x}:{low:x}"),
            format!("2001:0:4136:e378:8000:63bf:{:x}:{:x}", !high, !low),
        ] {
            assert!(!is_global(form.parse().unwrap()), "{form} wraps {text} and passed as global");
        }
    }
}
