import { objectAt } from '../../json/json-members.ts';
import { childPath, indexPath, invalid } from '@keelson/structural-schema';
import type { ValidationRules } from '../../schema/validation-rule.ts';

/** Validation rules of Namespaces. */
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
};
