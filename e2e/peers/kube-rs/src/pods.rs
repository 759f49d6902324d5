use std::time::Instant;

use futures::{Stream, TryStreamExt, pin_mut};
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::reflector::{self, Store};
use kube::runtime::watcher::{self, Event};
use kube::runtime::{WatchStreamExt, watcher as watch};
use kube::{Api, Client, Config, ResourceExt};
use serde_json::{Value, json};

use crate::Error;
use crate::cost::{cpu_seconds, held_bytes, microseconds, peak_megabytes, quantile};
use crate::options::Options;

/// The annotation with the microsecond at which the server sent an event.
const SENT: &str = "bench/sent";

/// A reflector of all pods with the defaults of kube-rs, and its store.
fn reflected(
    options: &Options,
) -> Result<
    (
        Store<Pod>,
        impl Stream<Item = watcher::Result<Event<Pod>>> + use<>,
    ),
    Error,
> {
    let client = Client::try_from(Config::new(options.server.parse()?))?;
    let (store, writer) = reflector::store();
    let events = watch(Api::all(client), watcher::Config::default())
        .default_backoff()
        .reflect(writer);
    Ok((store, events))
}

/// The time and memory from the start until every pod is in the store and was handled.
pub async fn list(options: &Options) -> Result<Value, Error> {
    let held_before = held_bytes();
    let (cpu_before, start) = (cpu_seconds(), Instant::now());
    let (store, events) = reflected(options)?;
    pin_mut!(events);
    let mut delivered = 0;
    while let Some(event) = events.try_next().await? {
        match event {
            Event::InitApply(pod) if pod.resource_version().is_some() => delivered += 1,
            Event::InitDone => break,
            _ => {}
        }
    }
    let (ms, cpu) = (
        start.elapsed().as_secs_f64() * 1000.0,
        cpu_seconds() - cpu_before,
    );
    if delivered != options.count || store.len() != options.count {
        let message = format!(
            "{} kept and {delivered} delivered of {}",
            store.len(),
            options.count
        );
        return Err(message.into());
    }
    let held = held_bytes()
        .zip(held_before)
        .map(|(now, before)| now - before);
    Ok(json!({
        "ms": ms, "cpu": cpu, "peakRss": peak_megabytes(),
        "bytesPerObject": held.map(|bytes| bytes / delivered as f64),
    }))
}

/// The time from the first to the last handled event while the server writes without pauses.
pub async fn burst(options: &Options) -> Result<Value, Error> {
    let (_store, events) = reflected(options)?;
    pin_mut!(events);
    until_synced(&mut events).await?;
    let cpu_before = cpu_seconds();
    println!("{}", json!({ "ask": { "name": "burst" } }));
    let mut first = None;
    let mut delivered = 0;
    while delivered < options.count {
        let Some(Event::Apply(pod)) = events.try_next().await? else {
            continue;
        };
        first.get_or_insert_with(Instant::now);
        delivered += usize::from(pod.resource_version().is_some());
    }
    let seconds = first.ok_or("no event")?.elapsed().as_secs_f64();
    let cpu = cpu_seconds() - cpu_before;
    let events = options.count as f64;
    Ok(json!({ "perSecond": events / seconds, "cpuPer10k": cpu * 10_000.0 / events }))
}

/// The time from the server's write to the handler at a steady rate, without the first second.
pub async fn latency(options: &Options) -> Result<Value, Error> {
    let (_store, events) = reflected(options)?;
    pin_mut!(events);
    until_synced(&mut events).await?;
    let pace = json!({ "name": "pace", "perSecond": options.per_second, "count": options.count });
    println!("{}", json!({ "ask": pace }));
    let mut delays = Vec::with_capacity(options.count);
    while delays.len() < options.count {
        let Some(Event::Apply(pod)) = events.try_next().await? else {
            continue;
        };
        let sent = pod
            .annotations()
            .get(SENT)
            .ok_or("an event without its time")?;
        delays.push(microseconds() - sent.parse::<f64>()?);
    }
    let warm = &mut delays[options.per_second..];
    Ok(json!({ "p50": quantile(warm, 0.5), "p99": quantile(warm, 0.99) }))
}

async fn until_synced<S>(events: &mut S) -> Result<(), Error>
where
    S: Stream<Item = watcher::Result<Event<Pod>>> + Unpin,
{
    while let Some(event) = events.try_next().await? {
        if let Event::InitDone = event {
            return Ok(());
        }
    }
    Err("the watch ended".into())
}
