//! What files a recognised command reads and writes, by its words.
//!
//! Leaves to others: where those files lie (`mod`), what is ruled on them (`decide`).

use super::call::base;
use super::word::Word;
use crate::contract::{Access, Extent};

/// One file that a command names.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) word: Word,
    pub(super) access: Access,
    pub(super) extent: Extent,
}

/// A command's words, told apart.
struct Words {
    operands: Vec<Word>,
    /// Options with their values, where the value was told apart.
    values: Vec<(String, Word)>,
    flags: Vec<String>,
}

/// Files that a command names. `words` begins with the command's name.
pub(super) fn named(words: &[Word]) -> Vec<Named> {
    let Some((name, rest)) = words.split_first() else { return Vec::new() };
    let name = name.pieces.iter().fold(String::new(), |name, piece| match piece {
        super::word::Piece::Text(text, _) => name + text,
        _ => name,
    });
    files(base(&name), rest)
}

fn files(name: &str, rest: &[Word]) -> Vec<Named> {
    let mut found = Vec::new();
    let mut add = |access: Access, extent: Extent, words: &[Word]| {
        found.extend(words.iter().cloned().map(|word| Named { word, access, extent }));
    };
    let (read, write, file, tree) = (Access::Read, Access::Write, Extent::File, Extent::Tree);
    match name {
        "cat" | "tac" | "head" | "tail" | "less" | "more" | "nl" | "rev" | "wc" | "paste" | "comm"
        | "cmp" | "file" | "stat" | "strings" | "od" | "xxd" | "hexdump" | "md5sum" | "sha1sum"
        | "sha256sum" | "sha512sum" | "cksum" | "base64" | "base32" | "fold" | "fmt" | "expand"
        | "unexpand" | "column" | "join" | "readlink" | "realpath" | "source" | "." | "bat" | "zcat"
        | "gzcat" | "xzcat" | "bzcat" | "zless" | "look" | "tsort" | "shuf" | "vi" | "vim" | "nano"
        | "view" | "emacs" | "open" | "xdg-open" | "python" | "python3" | "node" | "ruby" | "perl"
        | "bash" | "sh" | "zsh" | "cut" | "cd" | "pushd" | "gzip" | "zip" | "tar" | "diff" | "test"
        | "gpg" | "openssl" | "iconv" | "csplit" => {
            let words = split(rest, values_of(name));
            add(read, file, &words.operands);
            add(read, file, &paths(&words));
        }
        "ls" | "tree" | "du" => {
            let words = split(rest, values_of(name));
            let here = [Word::plain(".")];
            add(read, tree, if words.operands.is_empty() { &here } else { &words.operands });
            add(read, file, &paths(&words));
        }
        "sort" => {
            let words = split(rest, "tkS");
            add(read, file, &words.operands);
            for (flag, word) in &words.values {
                let out = flag == "-o" || flag.starts_with("--o") || flag == "-T" || flag.starts_with("--te");
                add(if out { write } else { read }, file, std::slice::from_ref(word));
            }
        }
        "uniq" => {
            let words = split(rest, "fsw");
            add(read, file, &words.operands[..words.operands.len().min(1)]);
            add(write, file, words.operands.get(1..).unwrap_or_default());
        }
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep" | "ugrep" | "sed" | "awk" | "gawk"
        | "mawk" | "jq" | "yq" => {
            searches(name, rest, &mut add);
        }
        "find" | "fd" => finds(rest, &mut add),
        "rm" | "rmdir" | "unlink" | "shred" => add(write, tree, &split(rest, "").operands),
        "mkdir" | "touch" | "truncate" | "tee" | "sponge" => {
            add(write, file, &split(rest, values_of(name)).operands)
        }
        "chmod" | "chown" | "chgrp" | "setfacl" | "chattr" => {
            let words = split(rest, "");
            let skip = usize::from(!words.flags.iter().any(|flag| flag.starts_with("--ref")));
            add(write, tree, words.operands.get(skip..).unwrap_or_default());
        }
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => copies(name, rest, &mut add),
        "dd" => {
            for word in rest {
                for (start, access) in [("if=", read), ("of=", write)] {
                    let value = word.source.strip_prefix(start).map(|_| cut(word, start.len()));
                    add(access, file, value.as_slice());
                }
            }
        }
        "curl" | "wget" => {
            let words = split(rest, "XHAbeumUtZ");
            for (flag, word) in &words.values {
                let out = matches!(
                    flag.as_str(),
                    "-o" | "-O"
                        | "--output"
                        | "--output-document"
                        | "-c"
                        | "--cookie-jar"
                        | "-D"
                        | "--dump-header"
                );
                add(if out { write } else { read }, file, std::slice::from_ref(word));
            }
            for word in rest {
                let file_of = word.source.find('@').map(|at| cut(word, at + 1));
                add(read, file, file_of.as_slice());
            }
        }
        _ => {}
    }
    found
}

/// A pattern or program first, unless an option gives it; then files.
fn searches(name: &str, rest: &[Word], add: &mut impl FnMut(Access, Extent, &[Word])) {
    let sed = matches!(name, "sed");
    let valued = match name {
        "sed" => "el",
        "awk" | "gawk" | "mawk" => "Fv",
        "jq" | "yq" => "",
        _ => "eABCmDdgtTjM",
    };
    let words = split(rest, valued);
    let given = |flag: &str| {
        matches!(flag, "-e" | "-f")
            || ["--reg", "--exp", "--fil", "--from"].iter().any(|start| flag.starts_with(start))
    };
    let given =
        words.values.iter().any(|(flag, _)| given(flag)) || words.flags.iter().any(|flag| given(flag));
    let in_place = sed
        && words
            .flags
            .iter()
            .any(|flag| flag.starts_with("--i") || !flag.starts_with("--") && flag.contains('i'));
    let files = words.operands.get(usize::from(!given)..).unwrap_or_default();
    let access = if in_place { Access::Write } else { Access::Read };
    let deep = matches!(name, "rg" | "ag" | "ack")
        || words.flags.iter().any(|flag| {
            flag.starts_with("--rec")
                || flag.starts_with("--deref")
                || !flag.starts_with("--") && flag.contains(['r', 'R'])
        });
    let extent = if deep && !sed { Extent::Tree } else { Extent::File };
    if files.is_empty() && extent == Extent::Tree {
        add(access, extent, &[Word::plain(".")]);
    }
    add(access, extent, files);
    // Anything but a pattern after `-e`.
    let patterns = ["-e", "--regexp", "--expression", "-v", "-F", "-l"];
    let others: Vec<Word> = words
        .values
        .iter()
        .filter(|(flag, _)| {
            !patterns.contains(&flag.as_str()) && !flag.starts_with("--in") && !flag.starts_with("--ex")
        })
        .map(|(_, word)| word.clone())
        .collect();
    add(Access::Read, Extent::File, &others);
}

fn finds(rest: &[Word], add: &mut impl FnMut(Access, Extent, &[Word])) {
    let places: Vec<Word> = rest
        .iter()
        .skip_while(|word| matches!(word.source.as_str(), "-H" | "-L" | "-P"))
        .take_while(|word| !word.source.trim_start_matches('\\').starts_with(['-', '(', '!']))
        .cloned()
        .collect();
    add(
        Access::Read,
        Extent::Tree,
        if places.is_empty() { vec![Word::plain(".")] } else { places.clone() }.as_slice(),
    );
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.source.as_str() {
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                add(Access::Write, Extent::File, words.next().cloned().as_slice());
            }
            "-delete" => add(Access::Write, Extent::Tree, &places),
            "-newer" | "-samefile" | "-anewer" | "-cnewer" => {
                add(Access::Read, Extent::File, words.next().cloned().as_slice());
            }
            _ => {}
        }
    }
}

/// Many from, one to.
fn copies(name: &str, rest: &[Word], add: &mut impl FnMut(Access, Extent, &[Word])) {
    let mut words = split(rest, "St");
    let given = words.values.iter().position(|(flag, _)| flag == "-t" || flag.starts_with("--t"));
    let to = given
        .map(|at| words.values.remove(at).1)
        .or_else(|| if words.operands.len() > 1 || name == "ln" { words.operands.pop() } else { None });
    let from = if name == "mv" { Access::Write } else { Access::Read };
    add(from, Extent::Tree, &words.operands);
    let Some(to) = to else { return };
    // Where it goes may be a folder, and then there is a name in it.
    for one in &words.operands {
        if let Some(name) = one.literal().as_deref().map(base).filter(|name| !name.is_empty()) {
            let mut below = to.clone();
            below.pieces.push(super::word::Piece::Text(format!("/{name}"), true));
            add(Access::Write, Extent::Tree, &[below]);
        }
    }
    add(Access::Write, Extent::Tree, &[to]);
}

/// Letters of options with a value that is no file.
fn values_of(name: &str) -> &'static str {
    match name {
        "head" | "tail" => "nc",
        "cut" => "bcdf",
        "paste" | "nl" => "d",
        "column" => "sctoNHTRW",
        "fold" | "fmt" | "base64" | "base32" => "w",
        "xxd" | "od" | "hexdump" => "clsgNjnetAw",
        "stat" => "cft",
        "shuf" => "in",
        "du" => "dBt",
        "tree" => "LPI",
        "mkdir" => "m",
        "touch" => "dt",
        "truncate" => "s",
        "python" | "python3" | "node" | "ruby" | "perl" | "bash" | "sh" | "zsh" => "ceEmpWX",
        "diff" => "UCWIFL",
        _ => "",
    }
}

/// Values that may be files.
fn paths(words: &Words) -> Vec<Word> {
    words.values.iter().filter(|(flag, _)| flag.starts_with("--")).map(|(_, word)| word.clone()).collect()
}

/// Tells options, their values and the rest apart. `valued`: letters of options whose value is a word of its own
/// and no file; of other options, a value is what follows `=`, `-o`, `-f`, `-t` and the like.
fn split(rest: &[Word], valued: &str) -> Words {
    let mut words = Words { operands: Vec::new(), values: Vec::new(), flags: Vec::new() };
    let mut all = rest.iter();
    let mut ended = false;
    while let Some(word) = all.next() {
        let text = word.literal().unwrap_or_else(|| word.source.clone());
        if ended || !text.starts_with('-') || text.len() == 1 {
            words.operands.push(word.clone());
        } else if text == "--" {
            ended = true;
        } else if let Some((flag, _)) = text.split_once('=').filter(|(flag, _)| flag.starts_with("--")) {
            words.flags.push(flag.to_owned());
            words.values.push((flag.to_owned(), cut(word, flag.len() + 1)));
        } else if !text.starts_with("--") {
            let letter = text[1..]
                .char_indices()
                .find(|(_, letter)| valued.contains(*letter) || "oftT".contains(*letter));
            words.flags.push(text.clone());
            if let Some((at, letter)) = letter {
                let flag = format!("-{letter}");
                let attached = &text[1 + at + letter.len_utf8()..];
                let file = !valued.contains(letter);
                if !attached.is_empty() {
                    if file {
                        words.values.push((flag, Word::plain(attached)));
                    }
                } else if file {
                    // It may or may not take a value: then it is one of the operands as well.
                    if let Some(next) = all.clone().next() {
                        words.values.push((flag, next.clone()));
                    }
                } else if let Some(next) = all.next()
                    && "et".contains(letter)
                {
                    words.values.push((flag, next.clone()));
                }
            }
        } else {
            if let Some(next) = all.clone().next().filter(|next| !next.source.starts_with('-')) {
                words.values.push((text.clone(), next.clone()));
            }
            words.flags.push(text);
        }
    }
    words
}

/// A word without its first `at` bytes, where these are literal.
fn cut(word: &Word, at: usize) -> Word {
    let mut left = at;
    let mut cut = Word { source: word.source.get(at..).unwrap_or_default().to_owned(), pieces: Vec::new() };
    for piece in &word.pieces {
        match piece {
            super::word::Piece::Text(text, quoted) if left > 0 => {
                let keep = text.get(left.min(text.len())..).unwrap_or_default().to_owned();
                left -= left.min(text.len());
                if !keep.is_empty() {
                    cut.pieces.push(super::word::Piece::Text(keep, *quoted));
                }
            }
            piece => cut.pieces.push(piece.clone()),
        }
    }
    cut
}
