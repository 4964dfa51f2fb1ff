//! From a decision to a grant: subjects ∩ what the tool needs ∩ the operator's ceiling, and what the operator
//! granted to the tool for good. Nothing here decides; `permit` calls it once a call is allowed.
//!
//! Leaves to others: holding a guest to it (`sandbox`).

use std::path::PathBuf;
use std::sync::Arc;

use url::{Host, Url};

use super::decide;
use super::domain::DomainPattern;
use super::grant::{CommandGrant, EgressGrant, FileGrant, Grant};
use super::policy::Snapshot;
use super::request::Request;
use super::shell::Line;
use super::subject::Resolved;
use crate::config::{Limits, RuleEffect};
use crate::contract::{Access, Extent, Need};

/// What a call gets that is allowed.
pub(super) fn grant(now: &Snapshot, request: &Request<'_>, subjects: &[Resolved]) -> Grant {
    let mut grant = empty(now, request);
    let mut commands = Vec::new();
    for subject in subjects {
        match subject {
            Resolved::Path { forms, access, extent } => {
                let file = FileGrant {
                    path: forms.real.clone(),
                    named: forms.named.clone(),
                    access: *access,
                    extent: *extent,
                };
                grant.files.extend(within_needs(request, file));
            }
            Resolved::Url { url, method } => grant.egress.extend(origin(now, request, url, method)),
            Resolved::Command { command, line } => commands.push((command, line)),
            Resolved::Text { .. } | Resolved::Opaque { .. } => {}
        }
    }
    commands.dedup();
    // One command or none: of two, neither is *the* approved one.
    if let ([(command, line)], true) =
        (commands.as_slice(), needs(request, |need| *need == Need::RunCommands))
    {
        grant.command = Some(command_grant(now, request, command, line));
    }
    for need in &request.descriptor.needs {
        match need {
            Need::CallTools(names) if names.is_empty() => grant.tools.push("*".to_owned()),
            Need::CallTools(names) => grant.tools.extend(names.iter().cloned()),
            Need::Secrets(names) if request.accepted => grant.secrets.extend(names.iter().cloned()),
            Need::Storage => grant.storage = true,
            _ => {}
        }
    }
    grant.files.extend(standing_files(now, request));
    grant.egress.extend(standing_origins(now, request));
    tidy(grant)
}

/// What a command gets that was allowed: the working directories, for reading alone where the line or the call
/// only reads, and the files that it names by themselves.
fn command_grant(now: &Snapshot, request: &Request<'_>, command: &str, line: &Line) -> CommandGrant {
    let reads = request.answers.read_only || line.reads_only();
    let most = if reads { Access::Read } else { Access::Write };
    let folder = |path: &PathBuf| FileGrant {
        path: path.clone(),
        named: path.clone(),
        access: most,
        extent: Extent::Tree,
    };
    let named = line.touches().filter(|touch| !touch.guess).filter_map(|touch| {
        let (forms, access, extent) = touch.subject.as_path()?;
        let access = access.min(most);
        Some(FileGrant { path: forms.real.clone(), named: forms.named.clone(), access, extent })
    });
    let mut files: Vec<FileGrant> = now.folders.iter().map(folder).chain(named).collect();
    files.sort_unstable();
    files.dedup();
    CommandGrant { line: command.to_owned(), working_directory: now.shell_directory(), files, network: false }
}

/// What a tool gets to show what it would do: what it may read unasked of what this call names.
pub(super) fn preview(now: &Snapshot, request: &Request<'_>, subjects: &[Resolved]) -> Grant {
    let mut grant = empty(now, request);
    for subject in subjects.iter().filter(|subject| decide::readable_unasked(now, request, subject)) {
        if let Some((forms, _, extent)) = subject.as_path() {
            let file = FileGrant {
                path: forms.real.clone(),
                named: forms.named.clone(),
                access: Access::Read,
                extent,
            };
            grant.files.extend(within_needs(request, file));
        }
    }
    tidy(grant)
}

/// Whether a subject lies within what the operator granted to the tool for good.
pub(super) fn stands(now: &Snapshot, request: &Request<'_>, subject: &Resolved) -> bool {
    match subject {
        Resolved::Path { forms, access, .. } => standing_files(now, request)
            .iter()
            .any(|file| file.access >= *access && forms.real.starts_with(&file.path)),
        Resolved::Url { url, method } => {
            let safe = matches!(method.as_str(), "GET" | "HEAD");
            let wanted = endpoint(url);
            standing_origins(now, request).iter().any(|origin| {
                wanted.as_ref() == Some(&(origin.scheme.clone(), origin.host.clone(), origin.port))
                    && (safe || !origin.safe_methods)
            })
        }
        _ => false,
    }
}

fn empty(now: &Snapshot, request: &Request<'_>) -> Grant {
    Grant { fence: Arc::new(now.fence(&request.names)), ..Grant::none(limits(request)) }
}

fn tidy(mut grant: Grant) -> Grant {
    grant.files.sort_unstable();
    grant.files.dedup();
    grant.egress.sort_unstable();
    grant.egress.dedup();
    grant.tools.sort_unstable();
    grant.tools.dedup();
    grant.secrets.sort_unstable();
    grant.secrets.dedup();
    grant
}

fn needs(request: &Request<'_>, wanted: impl Fn(&Need) -> bool) -> bool {
    request.descriptor.needs.iter().any(wanted)
}

/// Takes from a file grant what the tool does not need, and writing from a call that says it only reads.
fn within_needs(request: &Request<'_>, mut file: FileGrant) -> Option<FileGrant> {
    let writes = needs(request, |need| *need == Need::WriteFiles);
    if !writes && !needs(request, |need| *need == Need::ReadFiles) {
        return None;
    }
    if !writes || request.answers.read_only {
        file.access = Access::Read;
    }
    Some(file)
}

fn standing_files(now: &Snapshot, request: &Request<'_>) -> Vec<FileGrant> {
    let Some(options) = request.options.filter(|_| request.accepted) else { return Vec::new() };
    let files = options.files.iter().filter_map(|(path, write)| {
        let forms = now.places.path(path.to_str()?).ok()?;
        let access = if *write { Access::Write } else { Access::Read };
        let subject = Resolved::Path { forms, access, extent: Extent::Tree };
        let ruled = [RuleEffect::Deny, RuleEffect::Ask]
            .into_iter()
            .any(|effect| now.rules.against(effect, &subject).is_some());
        let Resolved::Path { forms, access, extent } = subject else { return None };
        let file = FileGrant { path: forms.real, named: forms.named, access, extent };
        if ruled { None } else { within_needs(request, file) }
    });
    files.collect()
}

fn standing_origins(now: &Snapshot, request: &Request<'_>) -> Vec<EgressGrant> {
    let Some(options) = request.options.filter(|_| request.accepted) else { return Vec::new() };
    let origins = options.egress.iter().filter_map(|text| {
        let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let (_, host, _) = endpoint(&url)?;
        let ruled = [RuleEffect::Deny, RuleEffect::Ask]
            .into_iter()
            .any(|effect| now.rules.against_host(effect, &host).is_some());
        // The widest method; what the tool needs narrows it.
        if ruled {
            None
        } else {
            origin(now, request, &url, "POST").or_else(|| origin(now, request, &url, "GET"))
        }
    });
    origins.collect()
}

/// The origin of a URL as a grant, where the tool needs it.
fn origin(now: &Snapshot, request: &Request<'_>, url: &Url, method: &str) -> Option<EgressGrant> {
    let (scheme, host, port) = endpoint(url)?;
    let needed = |write: bool| {
        needs(request, |need| match need {
            Need::HttpWrite(origins) if write => origins.is_empty() || listed(origins, &scheme, &host, port),
            Need::HttpRead(origins) if !write => origins.is_empty() || listed(origins, &scheme, &host, port),
            _ => false,
        })
    };
    let writes = needed(true);
    if !writes && !needed(false) {
        return None;
    }
    let safe_methods = !writes || request.answers.read_only || matches!(method, "GET" | "HEAD");
    let private = now.private_origins.iter().any(|open| *open == format!("{host}:{port}"));
    Some(EgressGrant { scheme, host, port, safe_methods, private })
}

fn endpoint(url: &Url) -> Option<(String, String, u16)> {
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    Some((url.scheme().to_owned(), host, url.port_or_known_default()?))
}

/// Whether an origin is among those that a descriptor names: `https://host[:port]`, `*.` for any subdomain.
fn listed(origins: &[String], scheme: &str, host: &str, port: u16) -> bool {
    origins.iter().any(|listed| {
        let Some((listed_scheme, rest)) = listed.split_once("://") else { return false };
        let rest = rest.trim_end_matches('/');
        let (listed_host, listed_port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
            _ => (rest, Some(if listed_scheme == "http" { 80 } else { 443 })),
        };
        let fits = match listed_host.strip_prefix("*.") {
            Some(_) => DomainPattern::parse(listed_host).is_ok_and(|pattern| pattern.matches(host, true)),
            None => Host::parse(listed_host).is_ok_and(|listed| listed.to_string() == host),
        };
        listed_scheme == scheme && listed_port == Some(port) && fits
    })
}

/// The lower of the general ceiling and the tool's own.
fn limits(request: &Request<'_>) -> Limits {
    let mut limits = request.limits;
    if let Some(own) = request.options.map(|options| options.limits) {
        limits.time = own.time.map_or(limits.time, |time| time.min(limits.time));
        limits.memory = own.memory.map_or(limits.memory, |memory| memory.min(limits.memory));
    }
    limits
}
