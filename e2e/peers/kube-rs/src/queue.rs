use std::collections::{HashMap, HashSet, VecDeque};
use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use futures::channel::mpsc::unbounded;
use kube::runtime::scheduler::{ScheduleRequest, scheduler};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::Error;
use crate::cost::quantile;
use crate::options::Options;

/// Adds, takes and finishes items while `queued` others are ready, with the scheduler of a controller.
pub async fn cycles(options: &Options) -> Result<Value, Error> {
    let (queued, total) = (options.queued, options.count);
    let (requests, received) = unbounded();
    let mut scheduler = pin!(scheduler(received));
    let mut keys = keys(queued + 1000);
    // The scheduler does not keep the order of adds, so a key is added again only after it was taken.
    let mut free: VecDeque<String> = keys.split_off(queued).into();
    for key in &keys {
        requests.unbounded_send(due(key, Instant::now()))?;
    }
    // The first poll receives all requests.
    free.push_back(scheduler.next().await.ok_or("the scheduler ended")?);
    // A controller holds a request whose object is being reconciled.
    let mut running = HashSet::new();
    let start = Instant::now();
    for _ in 0..total {
        let key = free.pop_front().ok_or("no key is free")?;
        requests.unbounded_send(due(&key, Instant::now()))?;
        let mut ready = scheduler.as_mut().hold_unless(|key| !running.contains(key));
        let taken = ready.next().await.ok_or("the scheduler ended")?;
        running.insert(taken.clone());
        running.remove(&taken);
        free.push_back(taken);
    }
    Ok(json!({ "perSecond": total as f64 / start.elapsed().as_secs_f64() }))
}

/// Fills a new scheduler with `queued` items and drains it, until `count` items are done.
pub async fn fills(options: &Options) -> Result<Value, Error> {
    let keys = keys(options.queued);
    let mut done = 0;
    let start = Instant::now();
    while done < options.count {
        let (requests, received) = unbounded();
        let mut scheduler = pin!(scheduler(received));
        for key in &keys {
            requests.unbounded_send(due(key, Instant::now()))?;
        }
        let mut running = HashSet::new();
        for _ in &keys {
            let mut ready = scheduler.as_mut().hold_unless(|key| !running.contains(key));
            let taken = ready.next().await.ok_or("the scheduler ended")?;
            running.insert(taken.clone());
            running.remove(&taken);
            done += 1;
        }
    }
    Ok(json!({ "perSecond": done as f64 / start.elapsed().as_secs_f64() }))
}

/// How late items are that are due within one second: the 99th percentile in milliseconds.
pub async fn lateness(options: &Options) -> Result<Value, Error> {
    let total = options.count;
    let (requests, received) = unbounded();
    let mut scheduler = pin!(scheduler(received));
    let start =
        Instant::now() + Duration::from_millis(500) + Duration::from_micros(4) * total as u32;
    let all = keys(total);
    let at = |index: usize| start + Duration::from_millis((index * 7919 % 1000) as u64);
    let due_at: HashMap<_, _> = all
        .iter()
        .enumerate()
        .map(|(index, key)| (key.clone(), at(index)))
        .collect();
    for key in &all {
        requests.unbounded_send(due(key, due_at[key]))?;
    }
    let mut late = Vec::with_capacity(total);
    while late.len() < total {
        let key = scheduler.next().await.ok_or("the scheduler ended")?;
        late.push((Instant::now() - due_at[&key]).as_secs_f64() * 1000.0);
    }
    Ok(json!({ "p99": quantile(&mut late, 0.99) }))
}

fn due(key: &str, run_at: Instant) -> ScheduleRequest<String> {
    ScheduleRequest {
        message: key.to_owned(),
        run_at,
    }
}

fn keys(count: usize) -> Vec<String> {
    (0..count)
        .map(|index| format!("namespace-{}/name-{index}", index % 100))
        .collect()
}
