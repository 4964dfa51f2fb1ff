//! What passes for a plugin and is none, and what was tampered with: listed with its reason, never run, and no
//! hindrance to the others.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use mortise::execution::Ending;
use mortise::host::Host;
use mortise::registry::State;
use serde_json::json;

use crate::support::{
    Site, broken, call, guest, leb, replaced, section, state_of, still_serves, text_of, with_core_module,
};

#[tokio::test]
async fn what_is_no_plugin_is_listed_with_its_reason() {
    let whole = guest("describes");
    let table = [&[1, 0x70, 0][..], &leb(u32::MAX)].concat();
    let memory = [&[1, 0][..], &leb(65_536)].concat();
    // Bytes without a meaning, the same each time.
    let noise: Vec<u8> = (0..50_000_u32).map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
    // So many functions, and one of so many bytes.
    let types = section(1, &[1, 0x60, 0, 0]);
    let declared = section(3, &[leb(300_000), vec![0; 300_000]].concat());
    let many = section(10, &[leb(300_000), [2, 0, 0x0b].repeat(300_000)].concat());
    let body = [&[0][..], &vec![1; 3 << 20], &[0x0b]].concat();
    let long = section(10, &[&[1][..], &leb(u32::try_from(body.len()).unwrap()), &body].concat());
    let code = |declared: &[u8], code: &[u8]| with_core_module(&whole, &[&types, declared, code].concat());
    let cases: [(&str, Vec<u8>, &str); 14] = [
        ("many", code(&declared, &many), "more than 250000 functions, which would take too long"),
        ("long", code(&section(3, &[1, 0]), &long), "a function of 3.0 MiB, and 2.0 MiB is the most"),
        ("empty", Vec::new(), "not a readable WebAssembly file"),
        ("noise", noise.clone(), "not a readable WebAssembly file"),
        ("text", b"#!/bin/sh\nexit 0\n".to_vec(), "not a readable WebAssembly file"),
        ("noise-in", [&whole[..8], &noise].concat(), "not a readable WebAssembly file"),
        ("cut", whole[..whole.len() / 2].to_vec(), "not a readable WebAssembly file"),
        ("module", b"\0asm\x01\0\0\0".to_vec(), "core WebAssembly module, not a component"),
        ("component", b"\0asm\x0d\0\x01\0".to_vec(), "exports no `mortise:tool/toolset`"),
        (
            "future",
            replaced(&whole, "mortise:tool/toolset@0.1.0", "mortise:tool/toolset@9.1.0"),
            "built for contract version 9.1.0, this host speaks 0.1.0",
        ),
        (
            "foreign",
            replaced(&whole, "wasi:cli/environment@", "evil:cli/environment@"),
            "imports `evil:cli/environment@",
        ),
        (
            "unknown",
            replaced(&guest("curious"), "mortise:tool/storage@0.1.0", "mortise:tool/stowage@0.1.0"),
            "imports `mortise:tool/stowage@0.1.0`",
        ),
        ("table", with_core_module(&whole, &section(4, &table)), "does not compile"),
        ("memory", with_core_module(&whole, &section(5, &memory)), "ran out of memory"),
    ];
    let site = Site::with(&[]);
    for (name, bytes, _) in &cases {
        site.plugin(name, bytes);
    }
    let host = site.host().await;
    for (name, _, reason) in &cases {
        let why = broken(&host, name);
        assert!(why.contains(reason), "{name}: {why}");
        let called = call(&host, name, json!({})).await;
        assert_eq!(called.ending, Ending::Broken, "{called:#?}");
        assert!(text_of(&called).contains(reason), "the model is told why: {called:#?}");
    }
    assert_eq!(state_of(&host, "word_count"), State::Ready);
    still_serves(&host).await;
}

#[tokio::test]
async fn component_cut_anywhere_is_broken_and_never_a_panic() {
    let whole = guest("word_count");
    let site = Site::with(&[]);
    let cuts: Vec<usize> = (0..40).map(|part| whole.len() * part / 40).collect();
    for cut in &cuts {
        site.plugin(&format!("cut-{cut}"), &whole[..*cut]);
    }
    let host = site.host().await;
    for cut in &cuts {
        broken(&host, &format!("cut-{cut}"));
    }
    still_serves(&host).await;
}

#[tokio::test]
async fn entries_that_others_could_change_or_that_lead_elsewhere_are_refused() {
    let site = Site::with(&[]);
    let elsewhere = site.top.join("elsewhere.wasm");
    std::fs::write(&elsewhere, guest("describes")).unwrap();
    let entry = |name: &str| site.top.join(format!("plugins/{name}.wasm"));
    symlink(&elsewhere, entry("link")).unwrap();
    symlink("/dev/zero", entry("device")).unwrap();
    symlink(site.top.join("nowhere"), entry("dangling")).unwrap();
    symlink(entry("loop"), entry("loop")).unwrap();
    std::fs::create_dir(entry("folder")).unwrap();
    fifo(&entry("pipe"));
    let open = site.plugin("open", &guest("describes"));
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o666)).unwrap();
    let host = site.host().await;
    for (name, reason) in [
        ("link", "a link out of the plugin folder"),
        ("device", "a link out of the plugin folder"),
        ("dangling", "cannot be read"),
        ("loop", "cannot be read"),
        ("folder", "not a regular file"),
        ("pipe", "not a regular file"),
        ("open", "everybody may write it"),
    ] {
        let why = broken(&host, name);
        assert!(why.contains(reason), "{name}: {why}");
    }
    still_serves(&host).await;

    // The same bytes, in a file of their own that nobody else can write, are a plugin.
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
    host.reload().await;
    assert_eq!(call(&host, "describes", json!({})).await.ending, Ending::Done);
}

fn fifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::from(0o644), 0).unwrap();
}

/// A site with a cache of its own, and the entries that are in it once both plugins were called.
async fn cached() -> (Site, Vec<PathBuf>) {
    let mut site = Site::with(&["describes"]);
    site.config.sandbox.cache = Some(site.top.join("compiled"));
    let host = site.host().await;
    works(&host).await;
    let mut entries = entries(&site);
    entries.sort();
    assert_eq!(entries.len(), 2);
    (site, entries)
}

fn entries(site: &Site) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(site.top.join("compiled")).unwrap().map(|entry| entry.unwrap().path());
    listed.filter(|path| path.extension().is_some_and(|extension| extension == "cwasm")).collect()
}

async fn works(host: &Host) {
    let called = call(host, "describes", json!({})).await;
    assert_eq!((called.ending, text_of(&called).as_str()), (Ending::Done, "described"), "{called:#?}");
    still_serves(host).await;
}

#[tokio::test]
async fn tampered_entry_of_the_compile_cache_is_made_anew() {
    type Tamper = fn(&mut Vec<u8>);
    let tampers: [(&str, Tamper); 6] = [
        ("one bit of the code", |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        }),
        ("one bit of the seal", |bytes| bytes[0] ^= 1),
        ("cut", |bytes| bytes.truncate(bytes.len() - 1)),
        ("longer", |bytes| bytes.push(0)),
        ("emptied", Vec::clear),
        ("all zeroes", |bytes| bytes.fill(0)),
    ];
    let (site, entries) = cached().await;
    for (what, tamper) in tampers {
        let sound: Vec<_> = entries.iter().map(|entry| std::fs::read(entry).unwrap()).collect();
        for (entry, sound) in entries.iter().zip(&sound) {
            let mut bytes = sound.clone();
            tamper(&mut bytes);
            std::fs::write(entry, &bytes).unwrap();
        }
        works(&site.host().await).await;
        for (entry, sound) in entries.iter().zip(&sound) {
            let again = std::fs::read(entry).unwrap();
            assert!(again.len() == sound.len() && again != vec![0; sound.len()], "{what}: not made anew");
        }
        // And what was made anew is sound: it is loaded, not made once more.
        let made: Vec<_> = entries.iter().map(|entry| modified(entry)).collect();
        works(&site.host().await).await;
        let left: Vec<_> = entries.iter().map(|entry| modified(entry)).collect();
        assert_eq!(made, left, "{what}");
    }
}

fn modified(path: &Path) -> std::time::SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}

#[tokio::test]
async fn another_components_code_in_an_entrys_place_is_not_taken_for_it() {
    let (site, entries) = cached().await;
    let (one, other) = (std::fs::read(&entries[0]).unwrap(), std::fs::read(&entries[1]).unwrap());
    std::fs::write(&entries[0], &other).unwrap();
    std::fs::write(&entries[1], &one).unwrap();
    works(&site.host().await).await;
    assert_ne!(std::fs::read(&entries[0]).unwrap(), other, "made anew");
}

#[tokio::test]
async fn link_in_an_entrys_place_is_not_followed() {
    let (site, entries) = cached().await;
    for entry in &entries {
        // Sound bytes, but where somebody else could change them.
        let aside = entry.with_extension("aside");
        std::fs::rename(entry, &aside).unwrap();
        symlink(&aside, entry).unwrap();
    }
    works(&site.host().await).await;
    for entry in &entries {
        assert!(std::fs::symlink_metadata(entry).unwrap().is_file(), "made anew, in the link's place");
        std::fs::remove_file(entry).unwrap();
        fifo(entry);
    }
    works(&site.host().await).await;
}

#[tokio::test]
async fn cache_that_others_can_write_is_not_used() {
    let (site, entries) = cached().await;
    let folder = site.top.join("compiled");
    let before = modified(&entries[0]);
    std::fs::remove_file(&entries[1]).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    works(&site.host().await).await;
    assert_eq!(self::entries(&site).len(), 1, "nothing was put there");
    assert_eq!(modified(&entries[0]), before);
}

#[tokio::test]
async fn file_that_changes_between_check_and_use_is_not_run() {
    for what in ["bytes", "pipe", "device", "gone"] {
        let mut site = Site::with(&["describes"]);
        // Described from the cache of descriptors, so that nothing is compiled before the first call.
        site.config.registry.cache = Some(site.top.join("descriptors"));
        site.config.sandbox.cache = None;
        site.host().await;
        let host = site.host().await;
        let file = site.top.join("plugins/describes.wasm");
        std::fs::remove_file(&file).unwrap();
        match what {
            "bytes" => std::fs::write(&file, guest("curious")).unwrap(),
            "pipe" => fifo(&file),
            "device" => symlink("/dev/zero", &file).unwrap(),
            _ => {}
        }
        let called = call(&host, "describes", json!({})).await;
        assert_eq!(called.ending, Ending::Broken, "{what}: {called:#?}");
        let reason = if what == "gone" { "cannot be read" } else { "changed after it was checked" };
        assert!(text_of(&called).contains(reason), "{what}: {called:#?}");
        still_serves(&host).await;
    }
}
