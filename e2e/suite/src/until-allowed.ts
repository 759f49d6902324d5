import { builtin, type ObjectOf } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** A question to the authorizer of the server. */
type Access = Omit<ObjectOf<typeof builtin.SubjectAccessReview>['spec'], 'user'>;

/** Number of reviews after which a permission should have reached the authorizer of kube-apiserver. */
const MAX_REVIEWS = 2000;

/** The name of a service account as a user. */
export function userOf(account: { readonly namespace: string; readonly name: string }): string {
  return `system:serviceaccount:${account.namespace}:${account.name}`;
}

/** Returns whether the server allows a user this access. */
export async function isAllowed(client: Client, user: string, access: Access): Promise<boolean> {
  const { status } = await client.create(builtin.SubjectAccessReview, {
    spec: { ...access, user },
  });
  return status?.allowed === true;
}

/** Resolves when the server allows the user this access: kube-apiserver learns of a new binding by a watch. */
export async function untilAllowed(client: Client, user: string, access: Access): Promise<void> {
  for (let reviews = 0; reviews < MAX_REVIEWS; reviews += 1) {
    if (await isAllowed(client, user, access)) return;
  }
  throw new Error(`the server does not allow ${user} its access`);
}
