/** The metrics of the watches of a kind, by `group`, `version` and `resource`. */
export const kindMetrics = {
  watches: {
    type: 'gauge',
    name: 'keelson_watches',
    help: 'Watches by state.',
    labels: ['group', 'version', 'resource', 'state'],
  },
  watchesIntended: {
    type: 'gauge',
    name: 'keelson_watches_intended',
    help: 'Watches that at least one handle holds.',
    labels: ['group', 'version', 'resource'],
  },
  watchHandles: {
    type: 'gauge',
    name: 'keelson_watch_handles',
    help: 'Handles on watches.',
    labels: ['group', 'version', 'resource'],
  },
  storeObjects: {
    type: 'gauge',
    name: 'keelson_store_objects',
    help: 'Objects kept.',
    labels: ['group', 'version', 'resource'],
  },
  storeBytes: {
    type: 'gauge',
    name: 'keelson_store_bytes',
    help: 'Bytes kept for objects, estimated.',
    labels: ['group', 'version', 'resource'],
  },
  lastEventAge: {
    type: 'gauge',
    name: 'keelson_watch_last_event_age_seconds',
    help: 'Time since the last frame of a watch stream; the longest of the resource.',
    labels: ['group', 'version', 'resource'],
  },
  watchVersion: {
    type: 'gauge',
    name: 'keelson_watch_resource_version',
    help: 'The resourceVersion that a watch has reached; the oldest of the resource.',
    labels: ['group', 'version', 'resource'],
  },
  lists: {
    type: 'counter',
    name: 'keelson_lists_total',
    help: 'Lists and WatchLists by cause.',
    labels: ['group', 'version', 'resource', 'cause'],
  },
  watchRestarts: {
    type: 'counter',
    name: 'keelson_watch_restarts_total',
    help: 'Watch streams that were reopened, by cause.',
    labels: ['group', 'version', 'resource', 'cause'],
  },
  events: {
    type: 'counter',
    name: 'keelson_events_total',
    help: 'Changes of stored objects.',
    labels: ['group', 'version', 'resource', 'type'],
  },
  ownWrites: {
    type: 'gauge',
    name: 'keelson_own_writes',
    help: 'Own writes that reads return although the watch has not received them.',
    labels: ['group', 'version', 'resource'],
  },
  ownWritesEnded: {
    type: 'counter',
    name: 'keelson_own_writes_ended_total',
    help: 'Own writes that reads no longer return from the response, by cause.',
    labels: ['group', 'version', 'resource', 'cause'],
  },
  ownWriteLag: {
    type: 'histogram',
    name: 'keelson_own_write_lag_seconds',
    help: 'Time from the response of an own write until the watch reached it.',
    labels: ['group', 'version', 'resource'],
    buckets: 'path',
  },
} as const;
