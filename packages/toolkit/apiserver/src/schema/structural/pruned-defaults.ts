import {
  cloneJson,
  hasDefaults,
  isJsonObject,
  type JsonSchema,
  type JsonValue,
  ownValue,
  unknownMembers,
} from '@keelson/structural-schema';
import { decodeEmbedded } from './coerce-embedded.ts';

/** Where the value of a schema is in an object. */
interface Place {
  /** Puts a value into its place in a new object. */
  readonly wrap: (value: JsonValue) => JsonValue;
  /** Returns the value in its place; undefined if it is missing. */
  readonly unwrap: (object: JsonValue) => JsonValue | undefined;
}

const rootPlace: Place = { wrap: (value) => value, unwrap: (object) => object };

/**
 * Returns the schema of a resource with the defaults that kube-apiserver uses: without members of metadata that the Go
 * type does not have, also where a default is only a part of the metadata.
 */
export function prunedDefaults(root: JsonSchema): JsonSchema {
  return hasDefaults(root) ? new DefaultPruner(root).at(root, rootPlace) : root;
}

class DefaultPruner {
  readonly #root: JsonSchema;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  at(schema: JsonSchema, place: Place): JsonSchema {
    if (!hasDefaults(schema)) return schema;
    const { items, properties, default: value, ...others } = schema;
    const pruned = value === undefined ? undefined : this.#pruned(value, place);
    return {
      ...others,
      ...(pruned !== undefined && { default: pruned }),
      ...(items && { items: this.at(items, itemOf(place)) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [
            name,
            this.at(property, memberOf(place, name)),
          ]),
        ),
      }),
    };
  }

  #pruned(value: JsonValue, { wrap, unwrap }: Place): JsonValue | undefined {
    const object = wrap(cloneJson(value));
    const root = { ...this.#root, 'x-kubernetes-embedded-resource': true };
    // A default that cannot be decoded remains as it is: a definition that was just created has none.
    if (decodeEmbedded(root, object) !== undefined) return value;
    for (const { object: parent, name } of unknownMembers(root, object, '')) {
      delete parent[name];
    }
    return unwrap(object);
  }
}

function itemOf({ wrap, unwrap }: Place): Place {
  return {
    wrap: (value) => wrap([value]),
    unwrap: (object) => {
      const list = unwrap(object);
      return Array.isArray(list) ? list[0] : undefined;
    },
  };
}

function memberOf({ wrap, unwrap }: Place, name: string): Place {
  return {
    wrap: (value) => wrap({ [name]: value }),
    unwrap: (object) => {
      const parent = unwrap(object);
      return isJsonObject(parent) ? ownValue(parent, name) : undefined;
    },
  };
}
