import type { KubernetesObject } from '@keelson/apimachinery';
import type { ControllerOptions } from './controller-options.ts';
import { carriesCluster } from '../sources/cluster-selection.ts';
import { sourceOptionsOf } from '../sources/source-options.ts';
import {
  clusterIdentity,
  guardedIdentity,
  keyIdentity,
  nameIdentity,
  objectIdentity,
  type RequestIdentity,
} from '../reconcile/request.ts';
import type { UserCode } from '../user-code/user-code.ts';

/** Selects the identity of a controller's requests: that of `for`, of `keyOf`, or of plain names. */
export function identityOf<Q extends object>(
  options: ControllerOptions<KubernetesObject, Q>,
  userCode: UserCode,
): RequestIdentity<Q> {
  return guardedIdentity(declaredIdentity(options, userCode));
}

function declaredIdentity<Q extends object>(
  options: ControllerOptions<KubernetesObject, Q>,
  userCode: UserCode,
): RequestIdentity<Q> {
  const { for: primary, keyOf } = options;
  if (carriesCluster(options)) {
    return clusterIdentity(primary && sourceOptionsOf(primary).resource);
  }
  if (primary !== undefined) return objectIdentity(sourceOptionsOf(primary).resource);
  if (keyOf === undefined) return nameIdentity;
  return keyIdentity((request) => userCode.call(keyOf, request));
}
