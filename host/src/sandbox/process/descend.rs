//! The way from a fork of the host down to the command: namespaces, masks, two standing-by parents, Landlock,
//! system call filter. All of it runs between fork and exec, in a process of one thread, with what was prepared.
//!
//! ```text
//! host ── supervisor (outside: its end is the end of all) ── init (process 1 inside) ── the command
//! ```
//!
//! Killing the supervisor kills the init, and with it the kernel kills whatever the command ever started. Where
//! there are no namespaces, the supervisor adopts orphans and kills them when the command has ended.
//!
//! Leaves to others: what is confined to what (`confine`), starting and reading it (`spawn`, `running`).

#![expect(
    unsafe_code,
    reason = "only a forked child of one thread can enter namespaces, and no safe wrapper forks"
)]

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use landlock::{PathBeneath, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags};
use rustix::process::{Pid, Signal, WaitOptions};
use rustix::thread::{CapabilitySet, UnshareFlags};
use seccompiler::BpfProgram;

/// What a command of the superuser keeps of the superuser's powers: those over files and processes of others.
/// The rest is power over the machine.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Rounds in which orphans are looked for before they are left to themselves.
const ROUNDS: usize = 10_000;

/// All that is done on the way down, prepared.
pub(super) struct Descent {
    /// `None`: the kernel allows none.
    pub(super) namespaces: Option<Namespaces>,
    /// `None`: unconfined.
    pub(super) ruleset: Option<RulesetCreated>,
    /// What `/proc` gets, once it is that of the command's own processes.
    pub(super) proc_access: landlock::BitFlags<landlock::AccessFs>,
    /// Where the command starts, entered again once namespaces may have put something over it.
    pub(super) directory: Option<CString>,
    /// Applied last.
    pub(super) filter: Option<BpfProgram>,
}

/// Namespaces to enter.
pub(super) struct Namespaces {
    /// `None`: this user may make namespaces without one of its own.
    pub(super) user: Option<Identity>,
    /// Whether the network is left behind.
    pub(super) isolate_network: bool,
    /// In order.
    pub(super) mounts: Vec<Mount>,
}

/// The lines that map this user and group to themselves.
pub(super) struct Identity {
    pub(super) user: Vec<u8>,
    pub(super) group: Vec<u8>,
}

/// One change to what is where.
pub(super) enum Mount {
    /// `source` is seen at `target`; with flags, nothing can be done through it that they forbid.
    Over { source: CString, target: CString, flags: Option<MountFlags> },
    /// `target` stays where it is, by the name that it has.
    Pin { target: CString },
    /// `target` can be read and not written.
    Freeze { target: CString, flags: MountFlags },
}

/// Makes the command descend when it is started. For one start only.
pub(super) fn attach(command: &mut Command, mut descent: Descent) {
    // SAFETY: the closure runs in a forked child that has one thread and shares no memory with the host. It
    // makes system calls on what was prepared before the fork and takes no lock that another thread may hold.
    unsafe { command.pre_exec(move || descent.descend()) };
}

impl Descent {
    fn descend(&mut self) -> io::Result<()> {
        rustix::process::setsid()?;
        forget_signal_handlers();
        die_with_parent()?;
        if let Some(namespaces) = &self.namespaces {
            namespaces.enter()?;
            stand_by_a_child(false)?;
            die_with_parent()?;
            // A container may hide parts of its own /proc, and then allows no other: the old one stays.
            let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
            // Those who stand by are copies of the host: what it was started with is not for the command.
            let _ = rustix::mount::mount(c"proc", c"/proc", c"proc", flags, c"hidepid=4");
            stand_by_a_child(false)?;
        } else {
            rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
            stand_by_a_child(true)?;
            die_with_parent()?;
        }
        rustix::process::setsid()?;
        if let Some(directory) = &self.directory {
            rustix::process::chdir(directory.as_c_str())?;
        }
        // No descriptor of the host gets into the command, whoever opened it without saying so.
        close_range(3, libc::CLOSE_RANGE_CLOEXEC)?;
        if let Some(ruleset) = self.ruleset.take() {
            drop_powers()?;
            restrict(ruleset, self.proc_access)?;
        }
        if let Some(filter) = &self.filter {
            seccompiler::apply_filter(filter).map_err(|_| io::Error::from(Errno::PERM))?;
        }
        Ok(())
    }
}

impl Namespaces {
    fn enter(&self) -> io::Result<()> {
        let mut flags = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
        flags.set(UnshareFlags::NEWUSER, self.user.is_some());
        flags.set(UnshareFlags::NEWNET, self.isolate_network);
        // SAFETY: the table of descriptors is not among what is unshared.
        unsafe { rustix::thread::unshare_unsafe(flags) }?;
        if let Some(Identity { user, group }) = &self.user {
            write(c"/proc/self/setgroups", b"deny")?;
            write(c"/proc/self/uid_map", user)?;
            write(c"/proc/self/gid_map", group)?;
        }
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        rustix::mount::mount_change(c"/", private)?;
        for mount in &self.mounts {
            mount.apply()?;
        }
        if self.isolate_network {
            raise_loopback();
        }
        Ok(())
    }
}

impl Mount {
    fn apply(&self) -> io::Result<()> {
        let (target, flags) = match self {
            Self::Over { source, target, flags } => {
                rustix::mount::mount_bind(source.as_c_str(), target.as_c_str())?;
                (target, *flags)
            }
            Self::Pin { target } => {
                rustix::mount::mount_bind_recursive(target.as_c_str(), target.as_c_str())?;
                (target, None)
            }
            Self::Freeze { target, flags } => {
                rustix::mount::mount_bind_recursive(target.as_c_str(), target.as_c_str())?;
                (target, Some(*flags))
            }
        };
        if let Some(flags) = flags {
            rustix::mount::mount_remount(target.as_c_str(), MountFlags::BIND | flags, c"")?;
        }
        Ok(())
    }
}

/// The host's handlers are not for the copies of it that stand by, nor what it ignores for the command.
fn forget_signal_handlers() {
    for signal in 1..=64 {
        // SAFETY: no handler is put in place, only taken away; where that is not allowed nothing happens.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

fn write(path: &std::ffi::CStr, text: &[u8]) -> io::Result<()> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text)?;
    Ok(())
}

fn die_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// Makes a network of one's own reach itself: tests start servers. Without it they fail, and nothing is lost.
fn raise_loopback() {
    // SAFETY: plain system calls on a descriptor of their own; the request is a whole, zeroed C struct.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return;
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &request);
        libc::close(socket);
    }
}

fn drop_powers() -> io::Result<()> {
    for number in 0..CapabilitySet::CHECKPOINT_RESTORE.bits().trailing_zeros() + 1 {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if !KEPT.contains(one) {
            // Who may not do so has no power to drop, and a kernel may know fewer.
            let _ = rustix::thread::remove_capability_from_bounding_set(one);
        }
    }
    let mut sets = rustix::thread::capabilities(None)?;
    sets.effective &= KEPT;
    sets.permitted &= KEPT;
    sets.inheritable = CapabilitySet::empty();
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

fn restrict(ruleset: RulesetCreated, proc_access: landlock::BitFlags<landlock::AccessFs>) -> io::Result<()> {
    let denied = |_| io::Error::from(Errno::PERM);
    let proc: OwnedFd =
        rustix::fs::open(c"/proc", OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY, Mode::empty())?;
    let ruleset = ruleset.add_rule(PathBeneath::new(proc, proc_access)).map_err(denied)?;
    match ruleset.restrict_self().map_err(denied)?.ruleset {
        RulesetStatus::NotEnforced => Err(Errno::PERM.into()),
        _ => Ok(()),
    }
}

/// Forks. The child goes on; the parent only waits for it, and ends as it ends.
fn stand_by_a_child(adopts: bool) -> io::Result<()> {
    // SAFETY: one thread, so no lock is held by another; the parent never returns from here.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(()),
        child => stand_by(child, adopts),
    }
}

fn stand_by(child: libc::pid_t, adopts: bool) -> ! {
    // What the host reads ends with the command, not with those who wait for it.
    let _ = close_range(0, 0);
    let code = loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == child => {
                let killed = status.terminating_signal().map(|signal| 128 + signal);
                break status.exit_status().or(killed).unwrap_or(127);
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => break 127,
        }
    };
    if adopts {
        kill_children();
    }
    // SAFETY: nothing of the host's may run at the end of this copy of it.
    unsafe { libc::_exit(code) }
}

/// Kills children until there are none: orphans become ours when their parents die.
fn kill_children() {
    let mut buffer = [0; 4096];
    for _ in 0..ROUNDS {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let Ok(list) = rustix::fs::open(c"/proc/thread-self/children", flags, Mode::empty()) else { return };
        let length = rustix::io::read(&list, &mut buffer).unwrap_or(0);
        let Some(text) = buffer.get(..length).filter(|text| !text.is_empty()) else { return };
        for word in text.split(|byte| *byte == b' ') {
            let number = word
                .iter()
                .filter(|byte| byte.is_ascii_digit())
                .fold(0, |number: i32, digit| number.wrapping_mul(10).wrapping_add(i32::from(*digit - b'0')));
            if let Some(pid) = Pid::from_raw(number) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
        let _ = rustix::process::wait(WaitOptions::empty());
        while matches!(rustix::process::wait(WaitOptions::NOHANG), Ok(Some(_))) {}
    }
}

fn close_range(first: libc::c_uint, flags: libc::c_uint) -> io::Result<()> {
    // SAFETY: only numbers go in. Whoever calls it uses none of the closed descriptors again.
    match unsafe { libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, flags) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
