//! `domain:` patterns: `domain:docs.rs`, `domain:*.example.com` (any subdomain, not the apex),
//! `domain:api-*.example.com` (`*` within one label), `domain:*` (every host).
//!
//! Leaves to others: addresses behind a name (`sandbox`).

use url::Host;

use super::text::Wildcard;

/// A pattern over hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DomainPattern {
    /// Every host.
    Any,
    /// One host, as the URL parser spells it.
    Exact(String),
    /// Labels from the left; `deep`: one or more labels before them.
    Labels { deep: bool, labels: Vec<Wildcard> },
}

impl DomainPattern {
    /// Reads what follows `domain:`.
    ///
    /// # Errors
    /// Says what is wrong, and what to write instead.
    pub(super) fn parse(text: &str) -> Result<Self, (String, String)> {
        let hint = || "a host alone, such as `domain:docs.rs` or `domain:*.example.com`".to_owned();
        let wrong = |why: &str| Err((why.to_owned(), hint()));
        let text = text.trim();
        let text = text.strip_suffix('.').unwrap_or(text);
        if text.is_empty() {
            return wrong("the domain is empty");
        }
        if text == "*" {
            return Ok(Self::Any);
        }
        if text.contains(['/', '@', '?', '#', ' ', '\\', '%']) {
            return wrong("a domain rule holds a host, not a URL");
        }
        if !text.contains('*') {
            let bare_v6 = text.parse::<std::net::Ipv6Addr>().is_ok();
            let host = if bare_v6 { Host::parse(&format!("[{text}]")) } else { Host::parse(text) };
            return match host {
                Ok(host) => Ok(Self::Exact(host.to_string())),
                Err(_) if text.contains(':') => wrong("a domain rule has no port"),
                Err(_) => wrong("no such host can exist"),
            };
        }
        let (deep, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut labels = Vec::new();
        for label in rest.split('.') {
            let Some(label) = ascii(label) else { return wrong("no such host can exist") };
            labels.push(Wildcard::plain(&label));
        }
        Ok(Self::Labels { deep, labels })
    }

    /// Whether a host, as the URL parser spells it, matches. An IP literal matches itself alone; `strict`
    /// is for rules that allow, which no wildcard makes match an address.
    pub(super) fn matches(&self, host: &str, strict: bool) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host);
        let address = matches!(Host::parse(host), Ok(Host::Ipv4(_) | Host::Ipv6(_)));
        match self {
            Self::Exact(own) => own == host || (!strict && wrapped_ipv4(host).as_ref() == Some(own)),
            Self::Any => !(strict && address),
            Self::Labels { deep, labels } => {
                if strict && address {
                    return false;
                }
                let parts: Vec<&str> = host.split('.').collect();
                let count = parts.len();
                let fits = if *deep { count > labels.len() } else { count == labels.len() };
                fits && labels
                    .iter()
                    .rev()
                    .zip(parts.iter().rev())
                    .all(|(label, part)| !part.is_empty() && label.matches(part))
            }
        }
    }
}

/// A label in the spelling of the URL parser; one with a wildcard in it must be ASCII already.
fn ascii(label: &str) -> Option<String> {
    if label.is_empty() || label.contains([':', '[', ']']) {
        return None;
    }
    if label.is_ascii() {
        return Some(label.to_ascii_lowercase());
    }
    if label.contains('*') {
        return None;
    }
    Host::parse(label).ok().map(|host| host.to_string())
}

/// The IPv4 address that an IPv6 literal carries: mapped (RFC 4291, 2.5.5.2) or translated by NAT64 (RFC 6052).
fn wrapped_ipv4(host: &str) -> Option<String> {
    let Ok(Host::Ipv6(address)) = Host::parse(host) else { return None };
    if let Some(mapped) = address.to_ipv4_mapped() {
        return Some(mapped.to_string());
    }
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let bits = (u32::from(high) << 16) | u32::from(low);
            Some(std::net::Ipv4Addr::from(bits).to_string())
        }
        _ => None,
    }
}
