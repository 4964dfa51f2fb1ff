//! Durations and sizes as people write them: `500ms`, `10s`, `2m`, `64MiB`.

use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads a duration such as `500ms`, `10s`, `2m` or `1h`: whole numbers, above zero, at most a day.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let hint = "hint: a whole number and a unit, such as `500ms`, `10s`, `2m`, `1h`";
    let (number, unit) = split(text).ok_or_else(|| format!("not a duration: `{text}`; {hint}"))?;
    let milliseconds = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(format!("not a duration: `{text}`; {hint}")),
    };
    let duration = number.checked_mul(milliseconds).map(Duration::from_millis);
    match duration {
        Some(duration) if duration > Duration::ZERO && duration <= DAY => Ok(duration),
        _ => Err(format!("a duration is above zero and at most `24h`, not `{text}`")),
    }
}

/// Reads a size such as `64MiB`, `30000`, `2GiB` or `512KB`, in bytes: above zero.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let hint = "hint: a whole number and a unit, such as `512KiB`, `64MiB`, `2GiB`";
    let (number, unit) = split(text).ok_or_else(|| format!("not a size: `{text}`; {hint}"))?;
    let bytes = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "KB" | "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return Err(format!("not a size: `{text}`; {hint}")),
    };
    match number.checked_mul(bytes) {
        Some(size) if size > 0 => Ok(size),
        _ => Err(format!("a size is above zero and fits 64 bits, unlike `{text}`")),
    }
}

fn split(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim_start()))
}
