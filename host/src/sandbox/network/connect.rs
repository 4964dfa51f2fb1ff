//! From a target to a connection, in step 9 of the path: the name is looked up once, every address it
//! answered is checked, and only those addresses are dialled. A name that answers differently a moment later
//! changes nothing, since it is not asked again.
//!
//! Leaves to others: whether the call may go there at all, which is settled before (`client`).

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use url::Host;

use super::address;
use super::error::EgressError;
use super::target::Target;
use super::tls::Tls;

/// Names that are looked up at a time. The system's lookup holds a thread and cannot be called off.
const LOOKUPS: usize = 64;

/// Addresses of one name that are tried, all having been checked.
const TRIES: usize = 8;

/// Looks names up. The system's own way is [`SystemResolver`]; a program may bring another.
#[async_trait]
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Gives every address of a name, each with this port. Asked once for each request.
    ///
    /// # Errors
    /// The name is not known, or nobody could be asked.
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// Looks names up as every other program on this machine does.
#[derive(Debug)]
pub struct SystemResolver {
    permits: Arc<Semaphore>,
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self { permits: Arc::new(Semaphore::new(LOOKUPS)) }
    }
}

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(io::Error::other)?;
        let host = host.to_owned();
        tokio::task::spawn_blocking(move || {
            // Given back when the lookup ends, not when its caller stops waiting.
            let _permit = permit;
            (host.as_str(), port).to_socket_addrs().map(Iterator::collect)
        })
        .await
        .map_err(io::Error::other)?
    }
}

/// A connection, whatever it runs over.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Addresses that were all checked: the only thing that is ever dialled.
#[derive(Debug)]
pub(super) struct Checked(Vec<SocketAddr>);

impl Checked {
    #[cfg(test)]
    pub(super) fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

/// Makes connections.
#[derive(Debug)]
pub(super) struct Connector {
    resolver: Arc<dyn Resolve>,
    tls: Tls,
}

impl Connector {
    pub(super) fn new(resolver: Arc<dyn Resolve>, tls: Tls) -> Self {
        Self { resolver, tls }
    }

    /// Connects to the target before `deadline`. `private`: the operator opened this origin on any address.
    ///
    /// # Errors
    /// The name is not found, an address is not global, none takes the connection, or TLS is not acceptable.
    pub(super) async fn connect(
        &self,
        target: &Target,
        private: bool,
        deadline: Instant,
    ) -> Result<Box<dyn Stream>, EgressError> {
        let checked = self.check(target, private).await?;
        let stream = dial(&checked, target, deadline).await?;
        if target.is_https() {
            return Ok(Box::new(self.tls.secure(target, stream).await?));
        }
        Ok(Box::new(stream))
    }

    /// Finds the target's addresses and checks every one: a single address that is not global refuses all,
    /// since a name that mixes them is set up to be tried until the right one is dialled.
    pub(super) async fn check(&self, target: &Target, private: bool) -> Result<Checked, EgressError> {
        let port = target.port();
        let addresses = match target.host() {
            Host::Ipv4(address) => vec![SocketAddr::from((*address, port))],
            Host::Ipv6(address) => vec![SocketAddr::from((*address, port))],
            Host::Domain(name) => self.look_up(name, port).await?,
        };
        let refused = addresses.iter().find_map(|at| address::refusal(at.ip()).map(|kind| (at.ip(), kind)));
        match refused {
            Some((address, kind)) if !private => {
                Err(EgressError::Address { address, kind, authority: target.authority() })
            }
            _ => Ok(Checked(addresses)),
        }
    }

    async fn look_up(&self, name: &str, port: u16) -> Result<Vec<SocketAddr>, EgressError> {
        let failed = |source| EgressError::Lookup { host: name.to_owned(), source };
        let mut addresses = self.resolver.resolve(name, port).await.map_err(failed)?;
        if addresses.is_empty() {
            return Err(failed(io::Error::new(io::ErrorKind::NotFound, "it has no address")));
        }
        // A resolver answers with addresses; the port stays the one that was judged.
        addresses.iter_mut().for_each(|address| address.set_port(port));
        Ok(addresses)
    }
}

/// Tries one address after the other. Each but the last has its share of the time that is left; the last has
/// what is left, and whoever waits for it says when that is over.
async fn dial(checked: &Checked, target: &Target, deadline: Instant) -> Result<TcpStream, EgressError> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let mut left = u32::try_from(checked.0.len().min(TRIES)).unwrap_or(1);
    for address in checked.0.iter().take(TRIES) {
        let now = Instant::now();
        let connecting = TcpStream::connect(address);
        let connected = if left > 1 {
            let share = deadline.saturating_duration_since(now) / left;
            timeout_at(now + share, connecting).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        } else {
            connecting.await
        };
        match connected {
            Ok(stream) => {
                // Small requests should not wait for more to be written. Failing costs only time.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => last = error,
        }
        left = left.saturating_sub(1);
    }
    Err(EgressError::Connect { origin: target.to_string(), source: last })
}
