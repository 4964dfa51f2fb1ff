//! Two contenders side by side in one run: they take turns, and what is printed is their ratio and the raw numbers.
//! The raw numbers of every round are kept as JSON in the target folder.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// One contender and what each round of it took, for one run.
pub struct Contender<'a> {
    name: &'a str,
    /// Runs it that many times.
    runs: Box<dyn FnMut(u32) + 'a>,
    rounds: Vec<Duration>,
}

impl<'a> Contender<'a> {
    /// A contender that `runs` as often as it is told.
    pub fn new(name: &'a str, runs: impl FnMut(u32) + 'a) -> Self {
        Self { name, runs: Box::new(runs), rounds: Vec::new() }
    }

    fn round(&mut self, times: u32) {
        let started = Instant::now();
        (self.runs)(times);
        self.rounds.push(started.elapsed() / times);
    }

    fn median(&mut self) -> Duration {
        self.rounds.sort_unstable();
        self.rounds[self.rounds.len() / 2]
    }
}

/// Has two contenders take turns for `rounds` rounds of `times` runs each, and prints how the first one compares.
pub fn compare(title: &str, bound: f64, rounds: usize, times: u32, contenders: [Contender<'_>; 2]) {
    let [mut first, mut second] = contenders;
    // The first rounds fill caches and count for nothing.
    for _ in 0..2 {
        first.round(times);
        second.round(times);
    }
    first.rounds.clear();
    second.rounds.clear();
    for _ in 0..rounds {
        first.round(times);
        second.round(times);
    }
    let raw: Vec<_> = [&first, &second]
        .iter()
        .map(|one| {
            let nanoseconds: Vec<u128> = one.rounds.iter().map(Duration::as_nanos).collect();
            serde_json::json!({ "name": one.name, "nanoseconds": nanoseconds })
        })
        .collect();
    let (a, b) = (first.median(), second.median());
    println!("{title}");
    for one in [&first, &second] {
        let (low, high) = (one.rounds[0], one.rounds[one.rounds.len() - 1]);
        let median = one.rounds[one.rounds.len() / 2];
        println!("  {:<44} median {:>10.1?}   min {:>10.1?}   max {:>10.1?}", one.name, median, low, high);
    }
    println!("  ratio {:.2} (promised: at most {bound})", a.as_secs_f64() / b.as_secs_f64());
    keep(title, &serde_json::json!({ "title": title, "bound": bound, "rounds": raw }));
}

fn keep(title: &str, raw: &serde_json::Value) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("benches");
    let mut name = String::new();
    for c in title.chars().take(60) {
        let _ = write!(name, "{}", if c.is_ascii_alphanumeric() { c } else { '-' });
    }
    let file = folder.join(name).with_extension("json");
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, format!("{raw:#}\n")));
    match written {
        Ok(()) => println!("  raw numbers: {}\n", file.display()),
        Err(error) => println!("  raw numbers could not be kept: {error}\n"),
    }
}
