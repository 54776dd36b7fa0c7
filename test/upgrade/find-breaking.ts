/** The first words of a migration that the version before cannot live with. */
const NEEDS_A_STOP = /^-- Needs a stop[ :.]/

/** What the version before may name, or leave out. */
const BREAKING = [
  /\bDROP (?:TABLE|COLUMN|VIEW|FUNCTION|TYPE|SCHEMA|SEQUENCE)\b/i,
  /\bRENAME\b/i,
  /\bALTER COLUMN \S+ (?:SET DATA )?TYPE\b/i,
  /\bSET NOT NULL\b/i,
  /\bADD COLUMN (?:(?!\bDEFAULT\b)[^,;])*\bNOT NULL\b(?!(?:(?!,)[^;])*\bDEFAULT\b)/i,
]

/** Returns whether a migration says that all processes of the version before are to be stopped for it. */
export function needsStop(sql: string): boolean {
  return NEEDS_A_STOP.test(sql)
}

/** Finds the changes of a migration by which statements of the version before would fail. */
export function findBreaking(sql: string): string[] {
  const code = sql.replaceAll(/--.*$/gm, '')
  return BREAKING.flatMap((change) => change.exec(code)?.[0] ?? [])
}
