import {
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirements,
  type LabelRequirements,
} from '@keelson/apimachinery';
import { placeOf, type Place } from './place.ts';
import type { Read } from './read.ts';
import { excludesFields, impliesFields, impliesLabels, isName } from './selector-implication.ts';
import type { NormalQuery } from './watch-query.ts';

/** The part of a query because of which the watch of another query cannot serve it as a view. */
export type CoverageGap = 'part' | 'transform' | 'projection' | 'selectors';

/** Decides which reads and which other queries the objects of one query can serve. */
export class Coverage {
  /**
   * The watch selects every object of its kind, in full and without a transform: it covers every
   * read.
   */
  readonly isWhole: boolean;
  readonly transform: string | undefined;
  /** The namespace and the name that the query selects. */
  readonly place: Place;
  /** The name of the part that the watch keeps; `undefined` for all objects. */
  readonly #part: string | undefined;
  /**
   * Sets of texts under which an index stores this query. A query that this one covers has, among its `requirements`,
   * at least one text of each set. So the index needs only one of the sets.
   */
  readonly anchors: readonly (readonly string[])[];
  /**
   * The texts that this query looks up to find the queries that may cover it (see `anchors`). `undefined` if this query
   * selects nothing: every query covers it.
   */
  readonly requirements: readonly string[] | undefined;
  readonly #query: NormalQuery;
  readonly #labels: LabelRequirements;
  /** The requirements of the field selector, and one for the namespace of the watch. */
  readonly #fields: FieldRequirements;

  constructor(query: NormalQuery, transform: string | undefined, part?: string) {
    const { namespace, labelSelector, fieldSelector, projection } = query;
    this.#query = query;
    this.transform = transform;
    this.#part = part;
    this.#labels = parseLabelSelector(labelSelector ?? '');
    const inNamespace = {
      path: 'metadata.namespace',
      operator: '=',
      value: namespace ?? '',
    } as const;
    const fields = parseFieldSelector(fieldSelector ?? '');
    this.#fields = namespace === undefined ? fields : [...fields, inNamespace];
    this.place = placeOf(this.#fields);
    this.isWhole =
      part === undefined &&
      projection === 'full' &&
      transform === undefined &&
      this.#labels.length === 0 &&
      this.#fields.length === 0;
    this.anchors = anchorsOf(this.#fields, this.#labels);
    this.requirements = requirementsOf(this.#fields, this.#labels);
  }

  /** True if the watch has every object that the read can return, in the requested form. */
  covers(read: Read): boolean {
    return (
      this.#servesAll(read) ||
      (this.#part === undefined &&
        this.#isWideEnough(read) &&
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

  /**
   * Returns why a watch of this query cannot serve another query as a view; `undefined` if it can.
   * A view evaluates labels, names and namespaces itself. Only the server evaluates other fields, so
   * both queries must contain those word for word. A transform may change labels and metadata, so
   * transformed objects are selected by equal labels only.
   */
  gapTo(other: Coverage): CoverageGap | undefined {
    if (this.#part !== other.#part) return 'part';
    if (this.transform !== other.transform) return 'transform';
    const isTransformed = this.transform !== undefined;
    const { projection, labelSelector } = this.#query;
    const isSameForm = projection === other.#query.projection;
    if (isTransformed ? !isSameForm : !this.#isWideEnough(other.#query)) return 'projection';
    if (isTransformed && labelSelector !== other.#query.labelSelector) return 'selectors';
    const isWider =
      impliesLabels(other.#labels, this.#labels) && impliesFields(other.#fields, this.#fields);
    return isWider && other.#fields.every((field) => this.#evaluates(field))
      ? undefined
      : 'selectors';
  }

  #evaluates(field: FieldRequirements[number]): boolean {
    return isName(field) || impliesFields(this.#fields, [field]);
  }

  /** True if the label selector of the watch selects an object with these labels. */
  selectsLabels(labels: Readonly<Record<string, string>> | undefined): boolean {
    return matchesLabels(this.#labels, labels ?? {});
  }

  #servesAll({ transform }: Read): boolean {
    return this.isWhole && transform === undefined;
  }

  #isWideEnough({ projection }: Pick<Read, 'projection'>): boolean {
    return this.#query.projection === 'full' || projection === 'metadata';
  }
}

/**
 * Returns the anchors of a query. A query that it covers has the same `=` requirements on fields and names the same
 * labels. Where this query allows a set of values, the covered one allows a part of that set.
 */
function anchorsOf(fields: FieldRequirements, labels: LabelRequirements): string[][] {
  const equalities = equalitiesOf(fields);
  const named = labels.map(({ key, operator, values }) =>
    operator === 'in' ? values.map((value) => labelText(key, value)) : [labelText(key)],
  );
  const sets = named.length === 0 ? [['']] : named;
  return (equalities.length === 0 ? [''] : equalities).flatMap((field) =>
    sets.map((texts) => texts.map((text) => anchorText(field, text))),
  );
}

/**
 * Returns the requirements of a query. One allowed value of each label is enough, because a covering query allows all
 * of them.
 */
function requirementsOf(
  fields: FieldRequirements,
  labels: LabelRequirements,
): string[] | undefined {
  const texts = new Set(['']);
  for (const { key, operator, values } of labels) {
    texts.add(labelText(key));
    if (operator !== 'in') continue;
    const same = labels.filter((other) => other.key === key);
    const allowed = values.find((value) => matchesLabels(same, { [key]: value }));
    if (allowed === undefined) return undefined;
    texts.add(labelText(key, allowed));
  }
  return ['', ...equalitiesOf(fields)].flatMap((field) =>
    Array.from(texts, (text) => anchorText(field, text)),
  );
}

function equalitiesOf(fields: FieldRequirements): string[] {
  const equalities = fields.filter(({ operator }) => operator === '=');
  return [...new Set(equalities.map(({ path, value }) => `${path}=${value}`))];
}

function anchorText(field: string, label: string): string {
  return `${field}\n${label}`;
}

function labelText(key: string, value?: string): string {
  return value === undefined ? key : `${key}=${value}`;
}
