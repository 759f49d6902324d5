import {
  defineResource,
  type ClusterScopedObject,
  type Condition,
  type KubernetesObject,
} from '@keelson/manager';

/** A kind that a Recipe names. */
export interface KindName {
  group: string;
  version: string;
  kind: string;
  plural: string;
}

/** Defines a controller at run time: for each object of a kind it keeps a ConfigMap. */
export interface Recipe extends ClusterScopedObject {
  spec: {
    /** The kind of the objects that get a ConfigMap. */
    for: KindName;
    /** Kinds that the controller depends on: the ConfigMap says whether an object of the same name exists. */
    with?: KindName[];
    /** The contents of the ConfigMap. */
    data: Record<string, string>;
    /** Unloads the controller while it is true. */
    paused?: boolean;
  };
  status?: { conditions?: Condition[] };
}

export const Recipe = defineResource<Recipe>({
  group: 'examples.keelson.dev',
  version: 'v1',
  kind: 'Recipe',
  plural: 'recipes',
  scope: 'Cluster',
});

/** An object of a kind that a Recipe names. */
export type NamedObject = KubernetesObject;
