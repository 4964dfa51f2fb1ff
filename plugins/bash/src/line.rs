//! As much of the shell as the tool itself needs: which command ends a line, so that its exit code can be explained,
//! and which lines are not left running when their time is up. Nothing is decided by it about what may run.

/// The words of each simple command of a line, in order; `None` for a line whose quotes do not end.
pub(crate) fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let mut commands = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '\\' if letter == '"' => word.push(letters.next()?),
                        other => word.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            '#' if word.is_none() => while letters.next_if(|letter| *letter != '\n').is_some() {},
            ';' | '&' | '|' | '\n' | '(' | ')' | '{' | '}' if !(letter == '&' && redirects(&word)) => {
                end_word(&mut commands, &mut word);
                commands.push(Vec::new());
            }
            space if space.is_whitespace() => end_word(&mut commands, &mut word),
            other => word.get_or_insert_default().push(other),
        }
    }
    end_word(&mut commands, &mut word);
    commands.retain(|words| !words.is_empty());
    Some(commands)
}

/// Whether a `&` belongs to `2>&1` and the like.
fn redirects(word: &Option<String>) -> bool {
    word.as_deref().is_some_and(|word| word.ends_with(['>', '<']))
}

fn end_word(commands: &mut [Vec<String>], word: &mut Option<String>) {
    if let (Some(command), Some(word)) = (commands.last_mut(), word.take()) {
        command.push(word);
    }
}

/// Whether a line goes on in the background when its time is up. What begins with a sleep has nothing to go on with,
/// git must not be left holding its locks, and what cannot be read is not trusted to.
pub(crate) fn goes_on(line: &str) -> bool {
    let Some(commands) = commands(line) else { return false };
    let sleeps = commands.first().and_then(|words| words.first()).is_some_and(|word| name(word) == "sleep");
    let git = commands.iter().flatten().any(|word| name(word) == "git");
    !commands.is_empty() && !sleeps && !git
}

/// What an exit code means that is no failure, by the command that ends the line.
pub(crate) fn meaning(line: &str, code: i32) -> Option<&'static str> {
    let commands = commands(line)?;
    let words: Vec<&str> = commands.last()?.iter().map(|word| name(word)).collect();
    let words = words.as_slice();
    if code != 1 {
        return None;
    }
    match words {
        ["grep" | "rg" | "egrep" | "fgrep", ..] | ["git", "grep", ..] => Some("No matches found"),
        ["find", ..] => Some("Some folders could not be read"),
        ["diff", ..] | ["git", "diff", ..] => Some("The files differ"),
        ["test" | "[" | "[[", ..] => Some("The condition is false"),
        _ => None,
    }
}

/// A program without its folder.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
