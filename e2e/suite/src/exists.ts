import { isNotFound, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** True if the object exists on the server. */
export async function exists(
  client: Client,
  resource: ApiResource,
  name: ObjectName,
): Promise<boolean> {
  try {
    await client.get(resource, name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
