import {
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirements,
  type LabelRequirements,
} from '@keelson/apimachinery';
import type { Read } from './read.ts';
import { excludesFields, impliesFields, impliesLabels } from './selector-implication.ts';
import type { NormalQuery } from './watch-query.ts';

/** Decides which reads the objects of one watch can serve. */
export class Coverage {
  /**
   * The watch selects every object of its kind, in full and without a transform: it covers every
   * read.
   */
  readonly isWhole: boolean;
  readonly transform: string | undefined;
  readonly #query: NormalQuery;
  readonly #labels: LabelRequirements;
  /** The field selector of the watch; its namespace is one more requirement. */
  readonly #fields: FieldRequirements;

  constructor(query: NormalQuery, transform: string | undefined) {
    const { namespace, labelSelector, fieldSelector, projection } = query;
    this.#query = query;
    this.transform = transform;
    this.#labels = parseLabelSelector(labelSelector ?? '');
    const inNamespace = {
      path: 'metadata.namespace',
      operator: '=',
      value: namespace ?? '',
    } as const;
    const fields = parseFieldSelector(fieldSelector ?? '');
    this.#fields = namespace === undefined ? fields : [...fields, inNamespace];
    this.isWhole =
      projection === 'full' &&
      transform === undefined &&
      this.#labels.length === 0 &&
      this.#fields.length === 0;
  }

  /** True if the watch has every object that the read can return, in the requested form. */
  covers(read: Read): boolean {
    return (
      this.#servesAll(read) ||
      (this.#isWideEnough(read) &&
        this.transform === read.transform &&
        impliesLabels(read.labels, this.#labels) &&
        impliesFields(read.fields, this.#fields))
    );
  }

  /**
   * True if the read selects only namespaces and names of the watch. The selectors of the watch
   * then limit the result. A transform that the read does not name is accepted.
   */
  reaches(read: Read): boolean {
    return (
      this.#servesAll(read) ||
      (this.#isWideEnough(read) &&
        (read.transform === undefined || this.transform === read.transform) &&
        !excludesFields(read.fields, this.#fields))
    );
  }

  #servesAll({ transform }: Read): boolean {
    return this.isWhole && transform === undefined;
  }

  #isWideEnough({ projection }: Read): boolean {
    return this.#query.projection === 'full' || projection === 'metadata';
  }
}
