/** One step of a conversation, as written in a YAML file. */
export interface Step {
  /** Description of the step; unique within its file. */
  readonly name: string;
  /**
   * `METHOD /path?query`. `${var}` is replaced by a variable of the run: `ns` is the namespace of the chapter,
   * `large` a string of 1.2 MB, `huge` one of 3.5 MB, `deep` JSON that is nested 10 001 times, `hooks` the base URL of
   * the webhooks (`WebhookEndpoint`) and `ca` their certificate as `caBundle` has it.
   */
  readonly request: string;
  /** The body: an object is sent as JSON, a string without changes. */
  readonly body?: unknown;
  /**
   * The Content-Type: a short name (`json` `merge` `jsonpatch` `strategic` `apply` `yaml`) or a media type. Default
   * `json`.
   */
  readonly type?: string;
  /**
   * The Accept header: a short name (`json` `table` `metadata` `metadatalist` `discovery`) or a media type. Default
   * `json`.
   */
  readonly accept?: string;
  /** Additional headers, such as those of impersonation. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The user of the request, by its name in `ServerUnderTest.users`. Default `admin`. */
  readonly as?: string;
  /** Variables to set from the response: name → path of members (`metadata.continue`, `items.0.metadata.name`). */
  readonly save?: Readonly<Record<string, string>>;
  /** Makes the step a watch that reads this number of lines, or fewer if the server ends it earlier. */
  readonly events?: number;
  /** Steps that run while the watch of this step is open. */
  readonly during?: readonly Step[];
  /**
   * Repeats the request up to 150 times, every 100 ms, until the response has this status: for asynchronous
   * effects. Only the last response counts. A variable makes it a string.
   */
  readonly until?: number | string;
  /** Repeats the request in the same way until the body contains this string. */
  readonly untilBody?: string;
  /** Expires every resourceVersion except the newest before the request. */
  readonly compact?: boolean;
  /** Sets of variables; the step runs once for each. */
  readonly each?: readonly Readonly<Record<string, string>>[];
  /** Compares only the status, for responses that describe the server itself. */
  readonly statusOnly?: boolean;
}

/** The short names of request media types. */
export const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  merge: 'application/merge-patch+json',
  jsonpatch: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The short names of response media types. */
export const acceptTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  metadatalist: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  discovery: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
};
