//! Which addresses a guest's request may be sent to: those that are routable on the open internet, and no
//! other. Asked in step 9 of the path for every address that a lookup answered, before one is dialled.
//!
//! What counts is the address, never its text: `0x7f.1`, `2130706433` and `[::ffff:7f00:1]` have long become
//! addresses when they come here. The tables follow the IANA special-purpose address registries (RFC 6890) and
//! add what clouds answer metadata on; a block of which any part is special is refused as a whole.
//!
//! Leaves to others: looking names up and dialling (`connect`), origins that an operator opened (`client`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A block of addresses: the first one, the length of the prefix, and what the block is.
type Block<A> = (A, u32, &'static str);

/// Single addresses come before the blocks that hold them, so that a refusal names the nearer reason.
const SPECIAL_V4: &[Block<Ipv4Addr>] = &[
    (Ipv4Addr::new(168, 63, 129, 16), 32, "cloud metadata"),
    (Ipv4Addr::new(100, 100, 100, 200), 32, "cloud metadata"),
    (Ipv4Addr::new(192, 0, 0, 192), 32, "cloud metadata"),
    (Ipv4Addr::new(169, 254, 169, 254), 32, "cloud metadata"),
    (Ipv4Addr::new(255, 255, 255, 255), 32, "broadcast, RFC 919"),
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network, RFC 791"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private, RFC 1918"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier-grade NAT, RFC 6598"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback, RFC 1122"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local, RFC 3927"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private, RFC 1918"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments, RFC 6890"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation, RFC 5737"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay, RFC 7526"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private, RFC 1918"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking, RFC 2544"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation, RFC 5737"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation, RFC 5737"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast, RFC 5771"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved, RFC 1112"),
];

/// What is not global unicast is refused anyway: the blocks outside `2000::/3` stand here for their names.
const SPECIAL_V6: &[Block<Ipv6Addr>] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "unspecified, RFC 4291"),
    (Ipv6Addr::LOCALHOST, 128, "loopback, RFC 4291"),
    (v6(0xfd00, 0x0ec2, 0, 0, 0x0254), 128, "cloud metadata"),
    (v6(0, 0, 0, 0, 0), 96, "IPv4-compatible, RFC 4291"),
    (v6(0x0064, 0xff9b, 1, 0, 0), 48, "local NAT64, RFC 8215"),
    (v6(0x0100, 0, 0, 0, 0), 64, "discard-only, RFC 6666"),
    (v6(0x0100, 0, 0, 1, 0), 64, "dummy prefix, RFC 9780"),
    (v6(0x2001, 0, 0, 0, 0), 32, "Teredo, RFC 4380"),
    (v6(0x2001, 2, 0, 0, 0), 48, "benchmarking, RFC 5180"),
    (v6(0x2001, 0x10, 0, 0, 0), 28, "ORCHID, RFC 4843"),
    (v6(0x2001, 0x20, 0, 0, 0), 28, "ORCHIDv2, RFC 7343"),
    (v6(0x2001, 0x30, 0, 0, 0), 28, "drone identity tags, RFC 9374"),
    (v6(0x2001, 0, 0, 0, 0), 23, "protocol assignments, RFC 2928"),
    (v6(0x2001, 0x0db8, 0, 0, 0), 32, "documentation, RFC 3849"),
    (v6(0x2002, 0, 0, 0, 0), 16, "6to4, RFC 3056"),
    (v6(0x3fff, 0, 0, 0, 0), 20, "documentation, RFC 9637"),
    (v6(0x5f00, 0, 0, 0, 0), 16, "segment routing, RFC 9602"),
    (v6(0xfc00, 0, 0, 0, 0), 7, "unique local, RFC 4193"),
    (v6(0xfe80, 0, 0, 0, 0), 10, "link-local, RFC 4291"),
    (v6(0xfec0, 0, 0, 0, 0), 10, "site-local, RFC 3879"),
    (v6(0xff00, 0, 0, 0, 0), 8, "multicast, RFC 4291"),
];

/// The only addresses that IANA hands out as global unicast (RFC 4291, section 2.4).
const GLOBAL_UNICAST: Block<Ipv6Addr> = (v6(0x2000, 0, 0, 0, 0), 3, "global unicast");

/// The well-known NAT64 prefix (RFC 6052): on networks without IPv4 every IPv4-only name resolves into it.
const NAT64: Block<Ipv6Addr> = (v6(0x0064, 0xff9b, 0, 0, 0), 96, "NAT64");

/// Whether an address can be reached by anybody on the open internet.
#[must_use]
pub fn is_global(address: IpAddr) -> bool {
    refusal(address).is_none()
}

/// What an address is, where it is not globally routable: such as `private, RFC 1918`.
#[must_use]
pub fn refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    SPECIAL_V4.iter().find(|block| holds_v4(block, address)).map(|(_, _, kind)| *kind)
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    // Two forms are dialled as the IPv4 address in them, and are judged as that.
    if let Some(wrapped) = address.to_ipv4_mapped() {
        return refusal_v4(wrapped);
    }
    if holds_v6(&NAT64, address) {
        return refusal_v4(Ipv4Addr::from_bits(last_32_bits(address)));
    }
    if let Some((_, _, kind)) = SPECIAL_V6.iter().find(|block| holds_v6(block, address)) {
        return Some(kind);
    }
    if is_isatap(address) {
        return Some("ISATAP, RFC 5214");
    }
    (!holds_v6(&GLOBAL_UNICAST, address)).then_some("not global unicast, RFC 4291")
}

/// ISATAP puts `[02]00:5efe` and an IPv4 address into the lower half, under any prefix.
fn is_isatap(address: Ipv6Addr) -> bool {
    let [_, _, _, _, flags, marker, _, _] = address.segments();
    matches!(flags, 0 | 0x0200) && marker == 0x5efe
}

fn holds_v4((first, length, _): &Block<Ipv4Addr>, address: Ipv4Addr) -> bool {
    (first.to_bits() ^ address.to_bits()).leading_zeros() >= *length
}

fn holds_v6((first, length, _): &Block<Ipv6Addr>, address: Ipv6Addr) -> bool {
    (first.to_bits() ^ address.to_bits()).leading_zeros() >= *length
}

fn last_32_bits(address: Ipv6Addr) -> u32 {
    let [.., high, low] = address.segments();
    (u32::from(high) << 16) | u32::from(low)
}

/// The first four groups and the last one.
const fn v6(a: u16, b: u16, c: u16, d: u16, last: u16) -> Ipv6Addr {
    Ipv6Addr::new(a, b, c, d, 0, 0, 0, last)
}
