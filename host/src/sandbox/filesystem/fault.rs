//! Why an operation on a file failed: refused by the grant, or by the system. Guests see only an error code,
//! so refusals are also kept as text (`Files::denials`).

use std::io;

use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

use crate::permission::Refusal;

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// It is out of the call's reach.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The system said no.
    #[error(transparent)]
    Os(#[from] io::Error),
    /// The operation makes no sense as asked.
    #[error("{}", .0.message())]
    Code(ErrorCode),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Self {
        Self::Os(errno.into())
    }
}

impl Fault {
    /// A refusal in these words.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(Refusal(why.into()))
    }

    /// Whether it says that there is no such thing.
    pub(super) fn is_missing(&self) -> bool {
        match self {
            Self::Os(error) => error.kind() == io::ErrorKind::NotFound,
            Self::Code(code) => matches!(code, ErrorCode::NoEntry),
            Self::Refused(_) => false,
        }
    }

    /// What the guest is told.
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(_) => ErrorCode::NotPermitted,
            Self::Code(code) => *code,
            Self::Os(error) => code_of(error),
        }
    }
}

/// The code of a system error. wasmtime's own table folds into `io` some that guests act on: moving a file
/// to another disk is tried again as a copy only after `cross-device`.
pub(super) fn code_of(error: &io::Error) -> ErrorCode {
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::XDEV) => ErrorCode::CrossDevice,
        Some(Errno::ROFS) => ErrorCode::ReadOnly,
        Some(Errno::DQUOT) => ErrorCode::Quota,
        Some(Errno::TXTBSY) => ErrorCode::TextFileBusy,
        Some(Errno::NFILE | Errno::MFILE) => ErrorCode::InsufficientMemory,
        _ => ErrorCode::from(error),
    }
}
