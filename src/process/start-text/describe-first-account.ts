import { relative } from 'node:path'

/** Where the commands look when they are told nothing else. */
const DATA_DIR_DEFAULT = 'data'

/** Says how the service gets its first account, and what to do with it. */
export function describeFirstAccount({
  address,
  dataDir,
  model,
}: {
  address: string
  dataDir: string
  /** One that the service sells. */
  model: string
}): string {
  // A command beside the process finds what .env says, and not what one shell said.
  const inFolder = relative('.', dataDir) === DATA_DIR_DEFAULT ? '' : `DATA_DIR=${quote(dataDir)} `
  return `The service has no customer yet. To make the first account, in another terminal:

    ${inFolder}npm run account -- create --name shop --credit 500

  It prints the API key of the account, this once. A first request with it:

    curl ${address}/api/v1/chats/completions -H 'Authorization: Bearer API_KEY' \\
      -H 'Content-Type: application/json' \\
      -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'

  docs/operating.md goes on from there.`
}

/** As a shell takes it for one word. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
