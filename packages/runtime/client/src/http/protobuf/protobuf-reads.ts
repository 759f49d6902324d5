import {
  abortable,
  apiVersionOf,
  statusOf,
  type ApiResource,
  type Clock,
} from '@keelson/apimachinery';
import {
  loadProtobufFormats,
  type Format,
  type FrameBatch,
  type ProtobufFormats,
} from '@keelson/wire';
import { FormatTrials, type FormatAttempt, type ReadVerb } from './format-trials.ts';

/** Milliseconds for which the version of the server counts as known, like the cache of discovery. */
const KNOWN_MS = 5 * 60_000;
/** Milliseconds until the version of the server is requested again after a request that failed. */
const UNKNOWN_MS = 30_000;
/** Milliseconds that a list or watch waits for the version of the server. */
const TIMEOUT_MS = 5_000;

/** The objects of a list or watch. */
export interface Read {
  readonly resource: ApiResource;
  readonly projection: 'full' | 'metadata';
}

/** A kind that a client no longer reads as protobuf, for good or for a time. */
export interface ProtobufRefusal {
  readonly apiVersion: string;
  readonly kind: string;
  /**
   * The error of the first object, with the code `MALFORMED_OBJECT` or one of its siblings, the 406 of the server, or the
   * error of the last attempt if only attempts in JSON work; `undefined` if watches in protobuf ended at once.
   */
  readonly error: unknown;
}

/** Whether a kind is read as protobuf. */
interface KindReading {
  /** True once an object of the kind was refused: the next watch of the kind uses JSON. */
  isRefused: boolean;
}

/** The format of one watch, and the refusals of its kind. */
export interface ProtobufWatch {
  readonly format: Format;
  readonly reading: Readonly<KindReading>;
  /** Records an error of the watch, and returns the error to throw. */
  readonly checked: (error: unknown) => unknown;
}

/** The format of one list or watch, and the record of its outcome. */
export interface ReadAttempt {
  /** `undefined` for JSON. */
  readonly format: Format | undefined;
  /** `undefined` for a read that never uses protobuf. */
  readonly attempt: FormatAttempt | undefined;
}

interface ProtobufReadsOptions {
  readonly clock: Clock;
  /** Requests `/version` once, without retries. */
  readonly fetchVersion: (signal: AbortSignal) => Promise<unknown>;
  readonly onRefused: (refusal: ProtobufRefusal) => void;
}

/** The kind of the objects that the server sends for a read. */
interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
}

interface KnownVersion {
  readonly isCovered: Promise<boolean>;
  until: number;
}

/**
 * Decides which kinds a client requests as protobuf: those of the table, from a server that is not newer than the
 * table, until an object of the kind cannot be read.
 */
export class ProtobufReads {
  readonly #options: ProtobufReadsOptions;
  #loading: Promise<ProtobufFormats> | undefined;
  #version: KnownVersion | undefined;
  /** The kinds that were watched or refused, as `apiVersion kind`. */
  readonly #readings = new Map<string, KindReading>();
  /** The outcomes of protobuf and JSON, by resource and projection. */
  readonly #trials = new Map<string, FormatTrials>();

  constructor(options: ProtobufReadsOptions) {
    this.#options = options;
  }

  /** Returns the format for a read; `undefined` for JSON. Rejects only with the reason of the signal. */
  async formatFor(read: Read, signal: AbortSignal): Promise<Format | undefined> {
    const kind = kindOf(read);
    if (!isBuiltin(kind) || this.#readingOf(kind).isRefused) return undefined;
    if (!(await abortable(this.#isServerCovered(), [signal]))) return undefined;
    this.#loading ??= this.#load();
    return (await this.#loading).find(kind.apiVersion, kind.kind);
  }

  /** Begins a list or a watch. Rejects only with the reason of the signal. */
  async begin(read: Read, verb: ReadVerb, signal: AbortSignal): Promise<ReadAttempt> {
    const format = await this.formatFor(read, signal);
    if (format === undefined) return { format, attempt: undefined };
    const trials = this.#trialsOf(read);
    const { isJson } = trials;
    return { format: isJson ? undefined : format, attempt: trials.begin(verb, isJson) };
  }

  #trialsOf(read: Read): FormatTrials {
    const { resource, projection } = read;
    const name = `${apiVersionOf(resource)} ${resource.plural} ${projection}`;
    let trials = this.#trials.get(name);
    if (trials === undefined) {
      const onBlamed = (error: unknown): void =>
        this.#options.onRefused({ ...kindOf(read), error });
      trials = new FormatTrials({ clock: this.#options.clock, onBlamed });
      this.#trials.set(name, trials);
    }
    return trials;
  }

  /**
   * Yields the given batches, and makes later reads of the kind use JSON after a 406. A server or proxy may refuse a
   * request for two media types, although JSON is one of them. A 406 for metadata does not count, because it refuses
   * the projection, which JSON has too.
   */
  async *accepted(
    read: Read,
    batches: AsyncIterable<FrameBatch>,
  ): AsyncGenerator<FrameBatch, void> {
    try {
      yield* batches;
    } catch (error) {
      throw this.#checked(read, error);
    }
  }

  /**
   * Returns the format of one watch with its checks. The watch ends once its kind was refused, so that the next one uses
   * JSON.
   */
  watch(read: Read, format: Format): ProtobufWatch {
    return {
      format,
      reading: this.#readingOf(kindOf(read)),
      checked: (error) => this.#checked(read, error),
    };
  }

  /** Records a 406 as a refusal, and returns the error to throw. */
  #checked(read: Read, error: unknown): unknown {
    if (read.projection === 'full' && statusOf(error)?.code === 406) {
      this.#refuse(kindOf(read), error);
    }
    return error;
  }

  async #load(): Promise<ProtobufFormats> {
    const formats = await this.#table();
    return formats.observed((kind, error) => this.#refuse(kind, error));
  }

  /** Loads the table. The clock of a test waits for it as for a request. */
  #table(): Promise<ProtobufFormats> {
    const { activity } = this.#options.clock;
    if (activity === undefined) return loadProtobufFormats();
    return activity.run('the load of the protobuf table', loadProtobufFormats);
  }

  #refuse({ apiVersion, kind }: Kind, error: unknown): void {
    const reading = this.#readingOf({ apiVersion, kind });
    if (reading.isRefused) return;
    reading.isRefused = true;
    this.#options.onRefused({ apiVersion, kind, error });
  }

  #readingOf({ apiVersion, kind }: Kind): KindReading {
    const name = `${apiVersion} ${kind}`;
    const reading = this.#readings.get(name) ?? { isRefused: false };
    this.#readings.set(name, reading);
    return reading;
  }

  /** True if the table has the fields of the server's version. Concurrent callers share one request. */
  #isServerCovered(): Promise<boolean> {
    if (this.#version === undefined || this.#options.clock.monotonic() >= this.#version.until) {
      const version: KnownVersion = {
        isCovered: this.#compareVersions().then(
          (isCovered) => {
            version.until = this.#options.clock.monotonic() + KNOWN_MS;
            return isCovered;
          },
          () => false,
        ),
        until: this.#options.clock.monotonic() + UNKNOWN_MS,
      };
      this.#version = version;
    }
    return this.#version.isCovered;
  }

  async #compareVersions(): Promise<boolean> {
    const response = await this.#options.fetchVersion(AbortSignal.timeout(TIMEOUT_MS));
    // The table loads after the response, because before it the request would wait for it: 4 ms of a first sync.
    const { kubernetesVersion } = await this.#table();
    const { major, minor } = response as { readonly major?: unknown; readonly minor?: unknown };
    const [most = 0, mostMinor = 0] = kubernetesVersion.split('.').map(Number);
    // Cloud providers add a character to the minor version, such as `36+`.
    const given = [major, minor].map((part) => Number.parseInt(String(part), 10));
    return given[0] === most && (given[1] ?? Number.NaN) <= mostMinor;
  }
}

function kindOf({ resource, projection }: Read): Kind {
  return projection === 'metadata'
    ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' }
    : { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/**
 * True for a group of Kubernetes itself: its name has no domain, or the domain `k8s.io`. Only for such groups the table
 * is loaded.
 */
function isBuiltin({ apiVersion }: Kind): boolean {
  const [group = ''] = apiVersion.split('/');
  return !group.includes('.') || group.endsWith('.k8s.io');
}
