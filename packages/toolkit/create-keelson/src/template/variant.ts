/** The variants of a project, each with the sentence that the question shows. */
export const variants = {
  plain: 'an object of your kind owns other objects, such as a ConfigMap',
  webhook: 'plain, and a webhook validates your objects',
  external: 'an object represents something outside the cluster, with a finalizer',
  dynamic: 'your objects decide at run time which kinds are watched',
} as const;

/** `plain`, `webhook`, `external` or `dynamic`. */
export type Variant = keyof typeof variants;

/** True for the name of a variant. */
export function isVariant(name: string): name is Variant {
  return Object.hasOwn(variants, name);
}
