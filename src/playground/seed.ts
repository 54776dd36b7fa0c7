import type { Playground } from './playground.ts'

const PEOPLE = [
  { id: 1001, firstName: 'Alex' },
  { id: 1002, firstName: 'Colleague' },
  { id: 1003, firstName: 'Admin' },
]
const TEAM_ID = -1_001_000_000_001
const TOPICS = ['Ideas', 'Clips']

/** Fills a new playground: three people who have not met the bot yet, and a group with topics. */
export function seed(playground: Pick<Playground, 'addUser' | 'addGroup' | 'addTopic'>): void {
  for (const person of PEOPLE) {
    playground.addUser({ ...person, languageCode: 'en', started: false })
  }
  const members = PEOPLE.map(({ id }) => id)
  playground.addGroup({ id: TEAM_ID, title: 'Team', members, isForum: true })
  for (const name of TOPICS) playground.addTopic(TEAM_ID, name)
}
