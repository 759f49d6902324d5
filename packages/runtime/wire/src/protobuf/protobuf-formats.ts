import type { Format } from '../frames/format.ts';
import { KindTable } from './kind-table.ts';
import { ProtobufFormat, type OnMalformed } from './protobuf-format.ts';

/**
 * The protobuf formats of the built-in kinds, for clients that read
 * `application/vnd.kubernetes.protobuf`. Decoded objects equal the JSON of kube-apiserver, with members in the same
 * order. Created by `loadProtobufFormats`; the constructor takes the text of another table.
 */
export class ProtobufFormats {
  readonly #table: KindTable;
  readonly #onMalformed: OnMalformed | undefined;
  readonly #formats = new Map<string, ProtobufFormat>();

  constructor(table: string | KindTable, onMalformed?: OnMalformed) {
    this.#table = typeof table === 'string' ? new KindTable(table) : table;
    this.#onMalformed = onMalformed;
  }

  /**
   * Returns formats of the same kinds that also report each response and object whose bytes they refuse, before they
   * throw. A client then reads the kind as JSON, because the server may have fields that the table lacks.
   */
  observed(onMalformed: OnMalformed): ProtobufFormats {
    return new ProtobufFormats(this.#table, onMalformed);
  }

  /**
   * The minor version of Kubernetes whose fields the table has, such as `1.36`. A newer server may send fields that the
   * table lacks; their objects are refused (`MALFORMED_OBJECT`).
   */
  get kubernetesVersion(): string {
    return this.#table.kubernetesVersion;
  }

  /** Every kind of the table, as `apiVersion kind`. */
  get kinds(): readonly string[] {
    return [...this.#table.kinds];
  }

  /**
   * Returns the format of one kind, such as `('apps/v1', 'Deployment')`; each call returns the same object. Returns
   * `undefined` for a kind that the table does not have, such as a custom resource.
   */
  find(apiVersion: string, kind: string): Format | undefined {
    const name = `${apiVersion} ${kind}`;
    const known = this.#formats.get(name);
    if (known !== undefined) return known;
    const found = this.#table.find(apiVersion, kind);
    if (found === undefined) return undefined;
    const format = new ProtobufFormat(this.#table, found, this.#onMalformed);
    this.#formats.set(name, format);
    return format;
  }
}
