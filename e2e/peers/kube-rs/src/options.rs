use crate::Error;

/// The flags of the command line, with the names of the Go program's.
#[derive(Default)]
pub struct Options {
    pub scenario: String,
    pub server: String,
    /// For a queue: `cycle` or `delayed`.
    pub mode: String,
    /// The number of objects, events or items.
    pub count: usize,
    /// The number of items that are ready during a cycle.
    pub queued: usize,
    /// The rate of the events.
    pub per_second: usize,
}

impl Options {
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Self, Error> {
        let mut options = Self::default();
        for word in words {
            match word.split_once('=') {
                None => options.scenario = word,
                Some(("-server", value)) => options.server = value.to_owned(),
                Some(("-mode", value)) => options.mode = value.to_owned(),
                Some(("-count", value)) => options.count = value.parse()?,
                Some(("-queued", value)) => options.queued = value.parse()?,
                Some(("-per-second", value)) => options.per_second = value.parse()?,
                Some((flag, _)) => return Err(format!("unknown flag {flag}").into()),
            }
        }
        Ok(options)
    }
}
