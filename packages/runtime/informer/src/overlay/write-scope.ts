import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type FieldRequirements,
  type LabelRequirements,
  type ObjectName,
} from '@keelson/apimachinery';
import { isName } from '../contract/selector-implication.ts';
import type { NormalQuery } from '../contract/watch-query.ts';
import type { OwnWrite } from './own-write.ts';

/** Decides which own writes the watch of a query can receive. */
export class WriteScope {
  /** False if only the server can decide which objects the query selects. */
  readonly isDecidable: boolean;
  /** True if an object never leaves the query before it is deleted. */
  readonly isLasting: boolean;
  readonly #namespace: string | undefined;
  readonly #labels: LabelRequirements;
  readonly #fields: FieldRequirements;

  constructor({ namespace, labelSelector = '', fieldSelector = '' }: NormalQuery) {
    this.#namespace = namespace;
    this.#labels = parseLabelSelector(labelSelector);
    this.#fields = parseFieldSelector(fieldSelector);
    this.isDecidable = this.#fields.every(isName);
    this.isLasting = this.#labels.length === 0;
  }

  /** False if no version of the object can be in the store. */
  concerns(name: ObjectName): boolean {
    if (!this.isDecidable) return false;
    if (this.#namespace !== undefined && this.#namespace !== name.namespace) return false;
    return matchesFields(this.#fields, { metadata: name });
  }

  /** True if the query selects this state of an object. */
  selects({ labels }: OwnWrite): boolean {
    return matchesLabels(this.#labels, labels);
  }
}
