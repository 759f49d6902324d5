import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  type JsonObject,
  validateLabels,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { OrderedRules } from '../../schema/validation-rule.ts';
import { validName } from '../../schema/validation-rule.ts';
import { validateContainerResources } from './rules-resources.ts';

/** Ordered rules of RuntimeClasses. */
export const runtimeClassOrders: OrderedRules = {
  'node.v1.RuntimeClass': (runtimeClass, path, fields) => [
    ...fields.validate('handler'),
    ...validName(checkDnsLabel, runtimeClass.handler, childPath(path, 'handler')),
    ...validateContainerResources(
      { limits: objectAt(objectAt(runtimeClass, 'overhead'), 'podFixed') },
      'overhead',
      [],
    ),
    ...fields.validate('scheduling'),
  ],
  'node.v1.Scheduling': (scheduling, path, fields) => [
    ...validateLabels(
      objectAt(scheduling, 'nodeSelector') as Record<string, string>,
      childPath(path, 'nodeSelector'),
    ),
    ...fields.validate('tolerations'),
    ...repeatedTolerations(objectsAt(scheduling, 'tolerations'), childPath(path, 'tolerations')),
  ],
};

/** Two tolerations are equal if they differ only in their time. */
function repeatedTolerations(tolerations: readonly JsonObject[], path: FieldPath): StatusCause[] {
  const shown = tolerations.map((toleration) => ({
    Key: textAt(toleration, 'key'),
    Operator: textAt(toleration, 'operator'),
    Value: textAt(toleration, 'value'),
    Effect: textAt(toleration, 'effect'),
  }));
  const keys = shown.map((each) => JSON.stringify(each));
  return keys.flatMap((key, index) => {
    if (keys.indexOf(key) === index) return [];
    const { tolerationSeconds: TolerationSeconds = null } = tolerations[index] ?? {};
    return [duplicate(indexPath(path, index), { ...shown[index], TolerationSeconds })];
  });
}
