from logsift.cli import main

main()
