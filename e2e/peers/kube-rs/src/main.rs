//! Runs kube-rs against the server of a benchmark, or its scheduler without a server, and prints the
//! measurement as a JSON line. A line `{"ask": …}` before it is a command for the server.
//! Usage: `keelson-kube-rs-peer [-server=URL] [-mode=M] [-count=N] [-queued=N] [-per-second=N] SCENARIO`.

mod cost;
mod options;
mod pods;
mod queue;

use options::Options;

pub type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let options = Options::parse(std::env::args().skip(1))?;
    let measured = match options.scenario.as_str() {
        "measure" => pods::list(&options).await?,
        "burst" => pods::burst(&options).await?,
        "latency" => pods::latency(&options).await?,
        "queue" if options.mode == "delayed" => queue::lateness(&options).await?,
        "queue" if options.mode == "fill" => queue::fills(&options).await?,
        "queue" => queue::cycles(&options).await?,
        other => return Err(format!("unknown scenario {other}").into()),
    };
    println!("{measured}");
    Ok(())
}
