//! What is refused by its name alone: devices that never end or that answer for someone else, names that make another
//! system dial out, and files that are not text. A convenience for the model and a second line of defence; the sandbox
//! is the first.

use std::path::Path;

use super::lexical;
use crate::Rejection;

/// Endings of files that are not text.
#[rustfmt::skip]
const BINARY: &[&str] = &[
    // Pictures, sound, film
    "png", "jpg", "jpeg", "gif", "bmp", "ico", "webp", "avif", "heic", "tif", "tiff", "psd", "raw", "mp3", "wav",
    "flac", "ogg", "opus", "m4a", "aac", "mp4", "m4v", "mov", "avi", "mkv", "webm", "wmv", "flv",
    // Documents
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "epub", "mobi",
    // Archives and images of disks
    "zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "lz4", "7z", "rar", "jar", "war", "whl", "deb",
    "rpm", "iso", "dmg", "img", "apk", "ipa", "cab", "msi",
    // Programs and what compilers leave
    "exe", "dll", "so", "dylib", "a", "lib", "o", "obj", "bin", "class", "pyc", "pyo", "wasm", "cwasm", "rlib",
    "rmeta", "pdb", "node",
    // Databases, fonts, models
    "sqlite", "sqlite3", "db", "mdb", "ttf", "otf", "woff", "woff2", "eot", "npy", "npz", "pkl", "pt", "onnx",
    "safetensors", "gguf", "parquet",
];

/// Refuses what is no text file by its name: all that [`refuse_devices`] refuses, and files whose ending says that
/// they are binary. For tools that read or write text; called in `inspect`.
///
/// # Errors
/// A rejection that says what the name stands for and what to do instead.
pub fn refuse_by_name(path: &str) -> Result<(), Rejection> {
    refuse_devices(path)?;
    let ending = Path::new(path).extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending {
        Some(ending) if BINARY.contains(&ending.as_str()) => Err(Rejection::new(format!(
            "`{path}` is a binary file by its ending `.{ending}`: this tool is for text only; use a program that \
             knows the format"
        ))),
        _ => Ok(()),
    }
}

/// Refuses names of devices and of other processes' insides, network shares, and the spellings that reach around a
/// file's name on Windows. For any tool that opens what the model names.
///
/// # Errors
/// A rejection that says what the name stands for.
pub fn refuse_devices(path: &str) -> Result<(), Rejection> {
    let refuse = |why: &str| Err(Rejection::new(format!("`{}` {why}", path.escape_debug())));
    if path.contains('\0') {
        return refuse("holds a NUL character, which no file's name can");
    }
    let slashes = path.chars().take_while(|c| matches!(c, '/' | '\\')).count();
    if slashes >= 2 || path.starts_with(r"\??\") {
        return refuse(
            "names a network share or device: give a path on this machine, with one slash at its start",
        );
    }
    if path.contains("::$") || path.to_ascii_uppercase().contains(":$DATA") {
        return refuse("names a stream behind a file: give the file's own name");
    }
    let plain = lexical(path).to_string_lossy().to_ascii_lowercase();
    let mut parts = plain.split('/').filter(|part| !part.is_empty());
    match (parts.next(), parts.next(), parts.next()) {
        (Some("dev"), Some(device), _) if device != "shm" => refuse("is a device, not a file"),
        (Some("proc"), Some("kcore" | "kmsg" | "kpagecount" | "kpageflags" | "sysrq-trigger"), _) => {
            refuse("is the kernel's own, not a file")
        }
        (
            Some("proc"),
            Some(_),
            Some(
                "fd" | "fdinfo" | "map_files" | "mem" | "root" | "cwd" | "exe" | "task" | "environ"
                | "pagemap",
            ),
        ) => refuse("is the inside of a process, not a file"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Session;

    #[test]
    fn devices_shares_and_streams_are_refused() {
        let _session = Session::new("/work/project");
        for path in [
            "/dev/zero",
            "/dev/../dev/stdin",
            "../../dev/tty",
            "/DEV/random",
            "/proc/self/fd/0",
            "/proc/1/root/etc/shadow",
            "/proc/kcore",
            r"\\host\share\a",
            "//host/share/a",
            r"/\host/a",
            r"\\?\C:\a",
            r"\??\C:\a",
            "a.txt::$DATA",
            "a.txt:$data",
            "a\0b",
        ] {
            assert!(refuse_devices(path).is_err(), "{path}");
        }
    }

    #[test]
    fn ordinary_names_pass() {
        let _session = Session::new("/work/project");
        for path in
            ["src/main.rs", "/etc/hosts", "dev/zero", "/proc/cpuinfo", "/dev/shm/a.txt", "~/x", "a:b", "/"]
        {
            assert_eq!(refuse_by_name(path), Ok(()), "{path}");
        }
    }

    #[test]
    fn binary_files_are_refused_by_ending_in_any_case() {
        let _session = Session::new("/work/project");
        assert!(refuse_by_name("logo.PNG").unwrap_err().message.contains("binary"));
        assert!(refuse_devices("logo.PNG").is_ok());
        assert!(refuse_by_name("logo.svg").is_ok());
        assert!(refuse_by_name("png").is_ok());
    }
}
