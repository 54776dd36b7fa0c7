import { afterAll } from 'vitest'
import { dropTestDatabases } from './test-database.ts'

// A setup file: Vitest runs it before each test file, also where files share a worker and its modules.
afterAll(dropTestDatabases)
