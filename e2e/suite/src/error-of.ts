/** Returns the error of a request; throws if the request succeeds. */
export async function errorOf<Refused = unknown>(asked: Promise<unknown>): Promise<Refused> {
  let response: unknown;
  try {
    response = await asked;
  } catch (error) {
    return error as Refused;
  }
  throw new Error(`the request should have failed: ${JSON.stringify(response)}`);
}
