//! Attributes and times between WASI's words and the system's.

use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use rustix::fs::{Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorStat, DescriptorType, ErrorCode, MetadataHashValue, NewTimestamp,
};

use super::fault::Fault;

/// The attributes that a guest is told.
pub(super) fn stat_of(meta: &Metadata) -> DescriptorStat {
    DescriptorStat {
        type_: type_of(meta),
        link_count: meta.nlink(),
        size: meta.len(),
        data_access_timestamp: datetime(meta.atime(), meta.atime_nsec()),
        data_modification_timestamp: datetime(meta.mtime(), meta.mtime_nsec()),
        status_change_timestamp: datetime(meta.ctime(), meta.ctime_nsec()),
    }
}

/// The kind of a file.
pub(super) fn type_of(meta: &Metadata) -> DescriptorType {
    let kind = meta.file_type();
    if kind.is_file() {
        DescriptorType::RegularFile
    } else if kind.is_dir() {
        DescriptorType::Directory
    } else if kind.is_symlink() {
        DescriptorType::SymbolicLink
    } else if kind.is_fifo() {
        DescriptorType::Fifo
    } else if kind.is_socket() {
        DescriptorType::Socket
    } else if kind.is_block_device() {
        DescriptorType::BlockDevice
    } else if kind.is_char_device() {
        DescriptorType::CharacterDevice
    } else {
        DescriptorType::Unknown
    }
}

/// A number that is the same for the same file while it exists, and tells nothing else of it.
pub(super) fn hash_of(meta: &Metadata) -> MetadataHashValue {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        (salt, meta.dev(), meta.ino()).hash(&mut hasher);
        hasher.finish()
    };
    MetadataHashValue { lower: half(1), upper: half(2) }
}

/// Both times of a `set-times`.
pub(super) fn timestamps(access: NewTimestamp, modification: NewTimestamp) -> Result<Timestamps, Fault> {
    Ok(Timestamps { last_access: timespec(access)?, last_modification: timespec(modification)? })
}

fn timespec(time: NewTimestamp) -> Result<Timespec, Fault> {
    match time {
        NewTimestamp::NoChange => Ok(Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT }),
        NewTimestamp::Now => Ok(Timespec { tv_sec: 0, tv_nsec: UTIME_NOW }),
        NewTimestamp::Timestamp(Datetime { seconds, nanoseconds }) => {
            // More than a second of nanoseconds would be read as one of the special values above.
            let seconds = seconds.checked_add(u64::from(nanoseconds / 1_000_000_000));
            let tv_sec = seconds.and_then(|seconds| i64::try_from(seconds).ok());
            let tv_sec = tv_sec.ok_or(Fault::Code(ErrorCode::Overflow))?;
            Ok(Timespec { tv_sec, tv_nsec: (nanoseconds % 1_000_000_000).into() })
        }
    }
}

/// Before 1970 there is no time in WASI.
fn datetime(seconds: i64, nanoseconds: i64) -> Option<Datetime> {
    Some(Datetime { seconds: seconds.try_into().ok()?, nanoseconds: nanoseconds.try_into().ok()? })
}
