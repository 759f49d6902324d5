import { jsonEquals, type JsonObject, type JsonValue, ownValue } from '@keelson/structural-schema';
import type { ListType, SchemaType } from '../schema/schema-type.ts';
import { FieldSet, type PathElement } from './fields/field-set.ts';
import { fieldElement } from './fields/path-element.ts';
import { isEmptyValue, itemsByElement, shapeOf, typeBelow } from './fields/shape.ts';

/** The added, changed and removed paths between two objects. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** Compares two states of an object, at the leaves that its type defines. */
export function compareObjects(type: SchemaType, before: JsonValue, after: JsonValue): Comparison {
  const walker = new ComparisonWalker();
  walker.visit(type, before, after);
  return walker;
}

class ComparisonWalker implements Comparison {
  readonly added: FieldSet = new FieldSet();
  readonly removed: FieldSet = new FieldSet();
  readonly modified: FieldSet = new FieldSet();
  /** The path of the values that are being compared. */
  readonly #path: PathElement[] = [];

  visit(type: SchemaType, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const shape = sharedShape(type, before, after);
    if (shape === 'leaf' || (isEmptyValue(before) && isEmptyValue(after))) {
      this.#compareLeaf(before, after);
      return;
    }
    if (shape === 'keys') {
      this.#visitKeys(type, (before ?? {}) as JsonObject, (after ?? {}) as JsonObject);
    } else {
      const [left, right] = [(before ?? []) as JsonValue[], (after ?? []) as JsonValue[]];
      this.#visitItems(type as ListType, left, right);
    }
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
  }

  #compareLeaf(before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!jsonEquals(before, after)) this.modified.insert(this.#path);
  }

  #visitKeys(type: SchemaType, before: JsonObject, after: JsonObject): void {
    for (const key of Object.keys(before)) {
      this.#path.push(fieldElement(key));
      this.visit(typeBelow(type, key), before[key], ownValue(after, key));
      this.#path.pop();
    }
    for (const key of Object.keys(after)) {
      if (Object.hasOwn(before, key)) continue;
      this.#path.push(fieldElement(key));
      this.visit(typeBelow(type, key), undefined, after[key]);
      this.#path.pop();
    }
  }

  #visitItems(type: ListType, before: JsonValue[], after: JsonValue[]): void {
    const left = itemsByElement(type, before);
    const right = itemsByElement(type, after);
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      const [one = [], other = []] = [left.get(element), right.get(element)];
      this.#path.push(element);
      this.#visitItem(type.item, one, other);
      this.#path.pop();
    }
  }

  /** Items with the same key are owned together: fields inside them have no separate owner. */
  #visitItem(type: SchemaType, before: JsonValue[], after: JsonValue[]): void {
    const [first, next] = [before[0], after[0]];
    const [wereSeveral, areSeveral] = [before.length > 1, after.length > 1];
    if (wereSeveral && areSeveral) {
      if (!jsonEquals(before, after)) this.modified.insert(this.#path);
    } else if (wereSeveral) {
      if (next !== undefined) this.visit(type, undefined, next);
      this.removed.insert(this.#path);
    } else if (areSeveral) {
      if (first !== undefined) this.visit(type, first, undefined);
      this.added.insert(this.#path);
    } else this.visit(type, first, next);
  }
}

/** The shape in which two values are compared; values of different shapes are compared as a whole. */
function sharedShape(
  type: SchemaType,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): 'leaf' | 'keys' | 'items' {
  const left = shapeOf(type, before);
  const right = shapeOf(type, after);
  if (left === undefined || right === undefined) return left ?? right ?? 'leaf';
  return left === right ? left : 'leaf';
}
