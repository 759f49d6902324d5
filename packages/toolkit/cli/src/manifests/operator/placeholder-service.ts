import { webhookServicePlaceholder } from '@keelson/schema';
import { isJsonObject, type JsonObject } from '../../types/definition/custom-kind.ts';

/** Returns the Service of a definition whose conversion names none, and thus needs the webhook of the operator. */
export function placeholderService({ spec }: JsonObject): JsonObject | undefined {
  const conversion = membersOf(membersOf(spec)['conversion']);
  const service = membersOf(membersOf(membersOf(conversion['webhook'])['clientConfig'])['service']);
  const { namespace, name } = webhookServicePlaceholder;
  return service['namespace'] === namespace && service['name'] === name ? service : undefined;
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
