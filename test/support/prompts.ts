const QUESTIONS = [
  'What is X?',
  'Write a short poem about X.',
  'Give me three tips about X.',
  'Why is X important?',
  'Tell me a joke about X.',
  'Explain X to a child.',
  'List 4 words that go with X.',
  'What is the opposite of X?',
  'How does X work?',
  'Write a Python function about X.',
] as const

const THINGS = [
  'gravity',
  'the sea',
  'bread',
  'a bicycle',
  'music',
  'winter',
  'photosynthesis',
  'the number 7',
  'France',
  'a computer',
  'sleep',
  'iron',
  'chess',
  'rain',
  'money',
  'a lighthouse',
  'friendship',
  'an apple',
  'Hamlet',
  'electricity',
] as const

/** 200 short questions, no two alike. */
export const PROMPTS: readonly string[] = QUESTIONS.flatMap((question) =>
  THINGS.map((thing) => question.replace('X', thing)),
)
