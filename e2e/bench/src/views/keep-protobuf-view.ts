import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import type { LiveView, LiveViewOptions, SeenMetadata } from './live-view.ts';
import { PODS_PATH } from '../servers/pod-stream.ts';

const WATCH_LIST =
  '?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan';
/** The length of a frame in the stream, and the magic number before an object. */
const LENGTH_BYTES = 4;
const MAGIC_BYTES = 4;
const BLOCK_BYTES = 1024 * 1024;
/** The windows of Keelson's client, in bytes. */
const STREAM_WINDOW = 4 * 1024 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;

/** The numbers of the fields that are read, in the messages of `k8s.io/apimachinery` and `k8s.io/api`. */
const EVENT = { type: 1, object: 2 };
const RAW_EXTENSION = { raw: 1 };
const UNKNOWN = { raw: 2 };
const POD = { metadata: 1 };
const META = {
  name: 1,
  namespace: 3,
  uid: 5,
  resourceVersion: 6,
  created: 8,
  labels: 11,
  annotations: 12,
  owners: 13,
  managedFields: 17,
};
const TIME = { seconds: 1 };
const ENTRY = { key: 1, value: 2 };
const OWNER = { kind: 1, name: 3, uid: 4, apiVersion: 5 };

interface Metadata extends SeenMetadata {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: number;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  ownerReferences: Record<string, string>[];
}

/** The file of a real server: its address, and certificates in PEM. */
interface RealCluster {
  readonly server: string;
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** The fields of a message, one after the other. It expects only fields of numbers and bytes. */
class Fields {
  readonly bytes: Buffer;
  at: number;
  readonly to: number;
  /** The number of the current field and the position of its tag. */
  field = 0;
  begin = 0;
  /** Its number, or the length of its bytes, which begin at `from` and end at `at`. */
  value = 0;
  from = 0;

  constructor(bytes: Buffer, from: number, to: number) {
    this.bytes = bytes;
    this.at = from;
    this.to = to;
  }

  next(): boolean {
    if (this.at >= this.to) return false;
    this.begin = this.at;
    const tag = this.#number();
    this.field = tag >>> 3;
    this.value = this.#number();
    this.from = this.at;
    if ((tag & 7) === 2) this.at += this.value;
    return true;
  }

  get text(): string {
    return this.bytes.toString('utf8', this.from, this.at);
  }

  get inner(): Fields {
    return new Fields(this.bytes, this.from, this.at);
  }

  #number(): number {
    let byte = this.bytes[this.at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = this.bytes[this.at++]!;
      value += (byte & 0x7f) * factor;
    }
    return value;
  }
}

/**
 * Keeps each pod of a WatchList as bytes of protobuf without `managedFields`, and decodes only its metadata: the least that a
 * cache in Node.js does which does not decode objects. It has no store, indices, reconnects or checks, and accepts only pods in
 * the form of kube-apiserver.
 */
export function keepProtobufView({ server, handlers, onEvent }: LiveViewOptions): LiveView {
  if (server.access === undefined) throw new Error('the probe of protobuf needs a real server');
  const cluster = JSON.parse(readFileSync(server.access.cluster, 'utf8')) as RealCluster;
  const pods = new Map<string, { readonly resourceVersion: string; readonly bytes: Buffer }>();
  let block = Buffer.alloc(0);
  let used = 0;

  const keep = (pod: Fields): void => {
    const podFrom = pod.at;
    const fields = inner(pod, POD.metadata);
    const metadata = readMetadata(fields);
    const { namespace, name, resourceVersion } = metadata;
    if (used + pod.to - podFrom > block.length) {
      block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      used = 0;
    }
    const start = used;
    used += pod.bytes.copy(block, used, podFrom, fields.begin);
    used += pod.bytes.copy(block, used, fields.to, pod.to);
    pods.set(`${namespace}/${name}`, { resourceVersion, bytes: block.subarray(start, used) });
    for (let i = 0; i < handlers; i++) onEvent(metadata);
  };

  /** Returns false for the bookmark at the end of the list. */
  const readFrame = (event: Fields): boolean => {
    event.next();
    if (event.field === EVENT.type && event.text === 'BOOKMARK') return false;
    const unknown = inner(inner(event, EVENT.object), RAW_EXTENSION.raw);
    unknown.at += MAGIC_BYTES;
    keep(inner(unknown, UNKNOWN.raw));
    return true;
  };

  return {
    start() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const { ca, cert, key } = cluster.tls;
      const settings = { enablePush: false, initialWindowSize: STREAM_WINDOW };
      const session = connect(cluster.server, { ca, cert, key, settings });
      session.once('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW));
      session.once('error', reject);
      const stream = session.request({
        ':path': PODS_PATH + WATCH_LIST,
        accept: 'application/vnd.kubernetes.protobuf;stream=watch',
      });
      stream.once('error', reject);
      stream.once('end', () => reject(new Error('the WatchList ended early')));
      let rest: Buffer = Buffer.alloc(0);
      stream.on('data', (chunk: Buffer) => {
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        let at = 0;
        while (at + LENGTH_BYTES <= bytes.length) {
          const to = at + LENGTH_BYTES + bytes.readUInt32BE(at);
          if (to > bytes.length) break;
          if (!readFrame(new Fields(bytes, at + LENGTH_BYTES, to))) resolve();
          at = to;
        }
        rest = bytes.subarray(at);
      });
      return promise;
    },
    size: () => pods.size,
  };
}

/** Returns the message in the next field with this number. */
function inner(message: Fields, field: number): Fields {
  while (message.next()) if (message.field === field) return message.inner;
  throw new Error(`a message without field ${field}`);
}

/** Reads all fields up to `managedFields`, the last one. */
function readMetadata(fields: Fields): Metadata {
  const metadata: Metadata = {
    name: '',
    namespace: '',
    uid: '',
    resourceVersion: '',
    creationTimestamp: 0,
    labels: {},
    annotations: {},
    ownerReferences: [],
  };
  while (fields.next()) {
    switch (fields.field) {
      case META.name:
        metadata.name = fields.text;
        break;
      case META.namespace:
        metadata.namespace = fields.text;
        break;
      case META.uid:
        metadata.uid = fields.text;
        break;
      case META.resourceVersion:
        metadata.resourceVersion = fields.text;
        break;
      case META.created:
        metadata.creationTimestamp = innerNumber(fields.inner);
        break;
      case META.labels:
        readEntry(fields.inner, metadata.labels);
        break;
      case META.annotations:
        readEntry(fields.inner, metadata.annotations);
        break;
      case META.owners:
        metadata.ownerReferences.push(readOwner(fields.inner));
        break;
      case META.managedFields:
        return metadata;
      default:
    }
  }
  fields.begin = fields.to;
  return metadata;
}

function innerNumber(time: Fields): number {
  while (time.next()) if (time.field === TIME.seconds) return time.value;
  return 0;
}

function readEntry(entry: Fields, into: Record<string, string>): void {
  let key = '';
  while (entry.next()) {
    if (entry.field === ENTRY.key) key = entry.text;
    else if (entry.field === ENTRY.value) into[key] = entry.text;
  }
}

const ownerNames = new Map(Object.entries(OWNER).map(([name, field]) => [field, name]));

function readOwner(owner: Fields): Record<string, string> {
  const reference: Record<string, string> = {};
  while (owner.next()) {
    const name = ownerNames.get(owner.field);
    if (name !== undefined) reference[name] = owner.text;
  }
  return reference;
}
