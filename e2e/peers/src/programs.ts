/** The programs that exist on this machine. */
export interface Programs {
  /** The Go program; `undefined` without Go. */
  readonly peers: string | undefined;
  /** A folder with etcd and kube-apiserver; `undefined` if it is missing. */
  readonly assets: string | undefined;
}

/** Returns the programs that `npm run e2e:peers` found or built. */
export function programsOf(environment: Readonly<Record<string, string | undefined>>): Programs {
  const { KEELSON_PEERS: peers, KUBEBUILDER_ASSETS: assets } = environment;
  return { peers: peers || undefined, assets: assets || undefined };
}

/**
 * Prints which tests are skipped for want of a program. Writes directly, because Jest hides the console of skipped
 * files.
 */
export function printMissing({ peers, assets }: Programs): void {
  if (peers === undefined) {
    process.stderr.write(
      '!!! SKIPPED: the program of client-go is missing; "npm run e2e:peers" builds it if Go is installed\n',
    );
  } else if (assets === undefined) {
    process.stderr.write(
      '!!! SKIPPED: kube-apiserver is missing; set KUBEBUILDER_ASSETS to its folder\n',
    );
  }
}
