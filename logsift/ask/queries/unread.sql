-- Lines with words of trouble that no grammar read, by what they have in common.
select lines, files, ranks, hosts, word, template, text from unread
