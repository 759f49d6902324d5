import { objectAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { childPath, indexPath, invalid, type JsonObject } from '@keelson/structural-schema';
import type { ValidationRules } from '../../schema/validation-rule.ts';

/** Validation rules of Namespaces, and of the namespace of Events. */
export const namespaceRules: ValidationRules = {
  'core.v1.Namespace': (namespace) => {
    const { phase } = objectAt(namespace, 'status');
    const isDeleting = objectAt(namespace, 'metadata').deletionTimestamp !== undefined;
    if (phase === undefined || phase === 'Active' || isDeleting) return [];
    const detail = "may only be 'Active' if `deletionTimestamp` is empty";
    return [invalid('status.Phase', phase, detail)];
  },
  'core.v1.NamespaceSpec': ({ finalizers }, path) =>
    (Array.isArray(finalizers) ? finalizers : []).flatMap((name, index) => {
      if (name === 'kubernetes' || (typeof name === 'string' && name.includes('/'))) return [];
      const detail = 'name is neither a standard finalizer name nor is it fully qualified';
      return [invalid(indexPath(childPath(path, 'finalizers'), index), name, detail)];
    }),
  'core.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'involvedObject')),
  'events.v1.Event': (event) => inNamespaceOf(event, objectAt(event, 'regarding')),
};

/** An Event must be in the namespace of its object; Events of cluster-scoped objects must be in `default`. */
function inNamespaceOf(event: JsonObject, subject: JsonObject): StatusCause[] {
  const own = textAt(objectAt(event, 'metadata'), 'namespace');
  const other = textAt(subject, 'namespace');
  if (own === other || (other === '' && own === 'default')) return [];
  return [invalid('involvedObject.namespace', other, 'does not match event.namespace')];
}
