/** One step of a conversation as it stands in a YAML file. */
export interface Step {
  /** What the step is about; unique within its file. */
  readonly name: string;
  /**
   * `METHOD /path?query`. `${var}` stands for a variable of the run: `ns` is the namespace of the chapter, `large` a text
   * of 1.2 MB, `huge` one of 3.5 MB, `deep` JSON that is nested 10 001 times.
   */
  readonly request: string;
  /** The body: an object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  /** The Content-Type; a short name (`json` `merge` `jsonpatch` `strategic` `apply` `yaml`) or a whole one. */
  readonly type?: string;
  /** The Accept header; a short name (`json` `table` `metadata` `metadatalist` `discovery`) or a whole one. */
  readonly accept?: string;
  /** More headers, such as those of impersonation. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Who asks: `admin` (default), `viewer`, `nobody` or `anonymous`. */
  readonly as?: string;
  /** Variables taken out of the answer: name → path of members (`metadata.continue`, `items.0.metadata.name`). */
  readonly save?: Readonly<Record<string, string>>;
  /** A watch: how many lines to read. It ends earlier when the server ends it. */
  readonly events?: number;
  /** Steps that run while the watch of this step is open. */
  readonly during?: readonly Step[];
  /**
   * Asks again, at most 150 times with 100 ms between, until the status is this one: for what a server
   * does a little later. Only the last answer counts.
   */
  readonly until?: number;
  /** The same, until the body holds this text. */
  readonly untilBody?: string;
  /** Before it asks, the server forgets every version but the newest, as one day any store does. */
  readonly compact?: boolean;
  /** Runs once for each of these: adds variables. */
  readonly each?: readonly Readonly<Record<string, string>>[];
  /** Only the status is compared: for answers that are about the server itself. */
  readonly statusOnly?: boolean;
}

/** The short names of media types. */
export const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  merge: 'application/merge-patch+json',
  jsonpatch: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The short names of what a step wants to be answered with. */
export const acceptTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  metadatalist: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  discovery: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
};
