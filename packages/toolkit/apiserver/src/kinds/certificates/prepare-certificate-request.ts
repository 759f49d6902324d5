import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { ensureObject, objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { Requester, WrittenPart } from '../../schema/kind-schema.ts';
import { approvalConditions } from './rules-certificate-request.ts';

/** Sets the user in the spec of a new request to the one that sent it, whatever the body says. */
export function setRequester(request: JsonObject, requester: Requester | undefined): void {
  const spec = ensureObject(request, 'spec');
  for (const name of ['username', 'uid', 'groups', 'extra']) delete spec[name];
  if (requester === undefined) return;
  const { name, uid = '', groups, extra = {} } = requester;
  spec.username = name;
  if (uid !== '') spec.uid = uid;
  if (groups.length > 0) spec.groups = [...groups];
  if (Object.keys(extra).length > 0) spec.extra = structuredClone(extra) as JsonValue as JsonObject;
}

/** An update of a request; `now` is in RFC 3339. */
export interface RequestUpdate {
  readonly old: JsonObject;
  readonly part: WrittenPart;
  readonly now: string;
}

/** Keeps the decision of the approver in writes of the status, and sets the missing times of conditions. */
export function prepareConditions(request: JsonObject, { old, part, now }: RequestUpdate): void {
  if (part !== 'status' && part !== 'approval') return;
  const [status, before] = [objectAt(request, 'status'), objectAt(old, 'status')];
  if (part === 'status') for (const type of approvalConditions) keepDecision(status, before, type);
  for (const condition of objectsAt(status, 'conditions')) setTimes(condition, before, now);
}

/** Restores the conditions of a type unless the update adds or removes one, which the validation rejects. */
function keepDecision(status: JsonObject, old: JsonObject, type: string): void {
  const before = objectsAt(old, 'conditions').filter((condition) => condition.type === type);
  const next = objectsAt(status, 'conditions').filter((condition) => condition.type === type);
  if (next.length !== before.length) return;
  const kept = [...before];
  status.conditions = objectsAt(status, 'conditions').map((condition) =>
    condition.type === type ? structuredClone(kept.shift() ?? condition) : condition,
  );
}

function setTimes(condition: JsonObject, old: JsonObject, now: string): void {
  if (textAt(condition, 'lastUpdateTime') === '') condition.lastUpdateTime = now;
  if (textAt(condition, 'lastTransitionTime') !== '') return;
  const same = objectsAt(old, 'conditions').find(
    ({ type, status, lastTransitionTime }) =>
      type === condition.type && status === condition.status && lastTransitionTime !== null,
  );
  condition.lastTransitionTime = same?.lastTransitionTime ?? now;
}
