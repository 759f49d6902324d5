import { asJson } from '@keelson/structural-schema';
import { approvalOf, approvalText, needsApproval } from '../kinds/definitions/api-approval.ts';
import type { Definition, DefinitionCondition } from './definition.ts';

const type = 'KubernetesAPIApprovalPolicyConformant';

/**
 * Returns the condition of a definition in a group of the Kubernetes community, which says whether its API is approved. No other
 * definition has it, and the validation refuses one in such a group without an approval or a reason.
 */
export function approvalConditions(definition: Definition): DefinitionCondition[] {
  const object = asJson(definition);
  if (!needsApproval(object)) return [];
  const text = approvalText(object);
  switch (approvalOf(object)) {
    case 'approved':
      return [
        { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${text}` },
      ];
    case 'bypassed': {
      const message = `not approved: ${JSON.stringify(text)}`;
      return [{ type, status: 'False', reason: 'UnapprovedAnnotation', message }];
    }
    default:
      return [];
  }
}
