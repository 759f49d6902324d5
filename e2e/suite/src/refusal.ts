/** What the server refuses with; throws when it does not. */
export async function refusal<Refused = unknown>(asked: Promise<unknown>): Promise<Refused> {
  let answer: unknown;
  try {
    answer = await asked;
  } catch (error) {
    return error as Refused;
  }
  throw new Error(`this should have been refused: ${JSON.stringify(answer)}`);
}
