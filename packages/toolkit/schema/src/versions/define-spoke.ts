import { checkFunction, checkOptions, type KubernetesObject } from '@keelson/apimachinery';
import type { DefinedKind } from '../kind/define-kind.ts';

/**
 * Converts objects between a version and the hub. Both functions receive a copy, which they may change, and return a whole
 * object: the server does not set defaults after a conversion.
 */
export interface SpokeConversions<Hub extends KubernetesObject, T extends KubernetesObject> {
  /** Returns the object in the hub's version. `apiVersion`, `kind` and most metadata are set afterwards. */
  readonly toHub: (object: T) => Hub;
  /** Returns the object in the spoke's version. What `toHub` would lose belongs into an annotation. */
  readonly fromHub: (object: Hub) => T;
}

/** A version with its conversions from and to the hub, for `defineVersions`. */
export interface Spoke<Hub extends KubernetesObject = KubernetesObject> {
  readonly hub: DefinedKind<Hub>;
  readonly kind: DefinedKind<KubernetesObject>;
  readonly toHub: (object: KubernetesObject) => KubernetesObject;
  readonly fromHub: (object: KubernetesObject) => KubernetesObject;
}

/** Adds to a version the functions that convert its objects from and to the hub; both are typed by their schemas. */
export function defineSpoke<Hub extends KubernetesObject, T extends KubernetesObject>(
  hub: DefinedKind<Hub>,
  kind: DefinedKind<T>,
  conversions: SpokeConversions<NoInfer<Hub>, NoInfer<T>>,
): Spoke<Hub> {
  checkOptions(conversions, ['toHub', 'fromHub'], 'defineSpoke');
  const { toHub, fromHub } = conversions;
  checkFunction(toHub, 'defineSpoke.toHub');
  checkFunction(fromHub, 'defineSpoke.fromHub');
  return {
    hub,
    kind,
    toHub: (object) => toHub(object as T),
    fromHub: (object) => fromHub(object as Hub),
  };
}
